"""The two sides of the page: which model each shows, and what its head is."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import (
    AttentionCapture,
    HeadlightError,
    LoadedModel,
    NotDownloadedError,
    list_models,
    model_info,
)
from model.analysis.intervention import Intervention, Outcome
from model.analysis.units import Unit, unit_weights, units
from model.catalogue.models import TRAINED, checkpoint_step
from model.catalogue.pretrained.hub import download
from pages.shared import cache
from pages.shared.language import _, in_words, ngettext, plain
from pages.shared.parameters import EXPLORE
from viz import Side, distinct

SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True)
class Recipe:
    """What one side shows, in a few words: enough to find or compute it again.

    Callbacks and downloads outlive the run that made them, once per open page. They keep this
    rather than the capture, which the shared cache must be free to let go.
    """

    side: Side
    model: str
    text: str
    text_pair: str | None
    merge_words: bool
    special: str
    change: Intervention | None = None

    @classmethod
    def of_session(cls, side: Side, model: str) -> "Recipe":
        """The session's sentence through a model, as its display options ask for."""
        state = st.session_state
        pair = state["pair"] if state["pair"].strip() else None
        return cls(side, model, state["text"], pair, state["words"], state["special"])

    def show(self) -> "Shown":
        """Find the capture, or compute it anew."""
        if self.change is None:
            capture = cache.capture(self.model, self.text, self.text_pair)
        else:
            capture = self.outcome().capture
        hidden = self.special != "show"
        return Shown(
            self,
            capture,
            units(capture, merge_words=self.merge_words, hide_special=hidden),
        )

    def outcome(self) -> Outcome:
        """Find the whole run: besides the capture, hidden states and predictions."""
        return cache.intervened(
            self.model, self.text, self.text_pair, self.change or Intervention()
        )


@dataclass(frozen=True)
class Shown:
    """A capture as one side shows it, for the length of one run.

    Attributes:
        recipe: How to find it again.
        capture: The model's capture of the sentence, shared with everybody.
        units: Rows and columns: tokens or words, specials among them or not.
    """

    recipe: Recipe
    capture: AttentionCapture
    units: tuple[Unit, ...]

    @property
    def side(self) -> Side:
        """Left or right."""
        return self.recipe.side

    @property
    def labels(self) -> list[str]:
        """Distinct names of the units."""
        return distinct([unit.label for unit in self.units])

    def weights(self, of: np.ndarray) -> np.ndarray:
        """Weights (..., T, T) between tokens as weights (..., U, U) between units."""
        return unit_weights(of, self.units, renormalise=self.recipe.special == "renormalise")

    def selected(self) -> tuple[int, int]:
        """This side's layer and head, inside what the model has."""
        prefix = "right_" if self.side == "right" and not st.session_state["linked"] else ""
        layer = min(st.session_state[f"{prefix}layer"], self.capture.n_layers - 1)
        head = min(st.session_state[f"{prefix}head"], self.capture.n_heads - 1)
        return layer, head


def head_name(layer: int, head: int) -> str:
    """A head's name on screen; layers and heads count from 0."""
    return f"L{layer}·H{head}"


def layer_box(layers: int) -> None:
    """Draw the choice of a layer; see :func:`head_boxes`."""
    _index_box("layer", layers, _("Layer"), "L")


def head_boxes(prefix: str, layers: int, heads: int, layer_label: str, head_label: str) -> None:
    """Draw the choice of a layer and a head; what a model has not is moved to its last, and said.

    Args:
        prefix: Of the session keys ``layer`` and ``head``.
        layers: How many there are.
        heads: How many there are in a layer.
        layer_label: Over the first box.
        head_label: Over the second box.
    """
    _index_box(f"{prefix}layer", layers, layer_label, "L")
    _index_box(f"{prefix}head", heads, head_label, "H")


def _index_box(key: str, count: int, label: str, letter: str) -> None:
    wanted = st.session_state[key]
    if wanted >= count:
        st.session_state[key] = count - 1
        st.toast(
            _("There is no {wanted} here; {shown} is shown.").format(
                wanted=f"{letter}{wanted}", shown=f"{letter}{count - 1}"
            )
        )
    st.selectbox(
        label,
        range(count),
        key=key,
        format_func=f"{letter}{{}}".format,
        persist_state="session",
        width=100,
        help=_("Layers and heads count from 0: L3·H1 is the fourth layer's second head."),
    )


def pick_model(key: str, label: str) -> LoadedModel:
    """Draw a model picker, and load what it says.

    Whatever goes wrong is said in words, and the model shown stays the one before.

    Args:
        key: Of the picker, and of the session's choice.
        label: Over the box.
    """
    names = [info.name for info in list_models()]
    wanted = st.session_state[key]
    st.selectbox(
        label,
        names if wanted in names else [*names, wanted],
        key=key,
        accept_new_options=True,
        persist_state="session",
        help=_(
            "Choose a model, or type a hub id (owner/name) or the path of a local folder: "
            "BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT or ModernBERT, as safetensors."
        ),
    )
    wanted = (st.session_state[key] or "").strip() or _default(key)
    try:
        model = cache.loaded_model(wanted)
    except NotDownloadedError as error:
        model = _keep_model(key)
        _offer_download(key, wanted, in_words(error))
    except HeadlightError as error:
        model = _keep_model(key)
        st.error(plain(in_words(error)))
    else:
        st.session_state[f"{key}_kept"] = wanted
    if model.name != wanted:
        st.warning(plain(_("{model} is shown instead.").format(model=model.name)))
    st.caption(_describe(model))
    return model


def _default(key: str) -> str:
    return EXPLORE[key if key in EXPLORE else "left"].default


def _keep_model(key: str) -> LoadedModel:
    return cache.loaded_model(st.session_state.get(f"{key}_kept", _default(key)))


def _describe(model: LoadedModel) -> str:
    info = model_info(model.name)
    step = checkpoint_step(model.name)
    if not info.trained:
        kind = _(":material/warning: **Untrained**: random weights carry no meaning.")
    elif step is not None:
        kind = ngettext(
            "Our encoder after {step} training step.",
            "Our encoder after {step} training steps.",
            step,
        ).format(step=f"{step:,}")
    elif info.name == TRAINED:
        kind = _("Our encoder, trained by us from scratch.")
    elif info.from_scratch:
        kind = _("Our encoder, carrying MiniLM's trained weights.")
    else:
        kind = _("Pretrained.")
    sizes = _("{layers} × {heads} heads, {parameters:.1f} M parameters.").format(
        layers=model.n_layers, heads=model.n_heads, parameters=model.n_parameters / 1e6
    )
    return f"{kind} {sizes}"


def _offer_download(key: str, name: str, reason: str) -> None:
    st.info(plain(reason))
    label = _("Download {model}").format(model=plain(name))
    if not st.button(label, key=f"download_{key}", icon=":material/download:"):
        return
    bar = st.progress(0.0, _("Asking the model hub"))
    progress = [0, 0]

    def report(done: int, total: int) -> None:
        progress[:] = done, total

    # The download's own threads may not draw: this one does, ten times a second.
    with ThreadPoolExecutor(1) as pool:
        fetched = pool.submit(download, name, report)
        while not fetched.done():
            time.sleep(0.1)
            done, total = progress
            if total:
                text = _("{done:.0f} of {total:.0f} MB").format(done=done / 1e6, total=total / 1e6)
                bar.progress(done / total, text)
    bar.empty()
    try:
        fetched.result()
    except HeadlightError as error:
        st.error(plain(in_words(error)))
    else:
        st.rerun()
