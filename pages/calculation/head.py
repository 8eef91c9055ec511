"""A real head on the reader's sentence: its true q, k and v, and all that follows from them."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st
import torch

from model import AttentionCapture, LoadedModel, model_info
from model.calculator import Calculation, Settings, from_qkv
from model.calculator.script import head_script
from pages.calculation.address import PARAMETERS, settings
from pages.calculation.bench import Shown, choose_settings, draw_steps, take_away, work_out
from pages.common import link, sentence, store
from pages.common.i18n import _
from pages.common.sides import head_boxes, head_name, pick_model
from viz import distinct, shortened
from viz.steps import Names, Window

WINDOW = 16
"""Tokens that are drawn at once: more columns fit on no screen."""

DIMS = 5
"""Dimensions of q, k and v that are drawn; all take part."""


@dataclass(frozen=True)
class Head:
    """Which head of which model on which sentence: enough to find it again."""

    model: str
    text: str
    text_pair: str | None
    layer: int
    head: int
    first: int

    def names(self) -> Names:
        """The tokens, on both axes."""
        tokens = tuple(distinct(self._capture().tokens))
        return Names(tokens, tokens)

    def window(self) -> Window:
        """The tokens and dimensions that are drawn."""
        return Window(self.first, WINDOW, DIMS)

    def weights(self) -> np.ndarray:
        """As captured, (T, T)."""
        return self._capture().weights[self.layer, self.head]

    def view(self, look: str) -> str:
        """Where to look first: the strongest link between two words that are drawn."""
        if look != PARAMETERS["look"].default:
            return look
        start, stop = self.window().along("query", len(self._capture().tokens))
        words = ~self._capture().special[start:stop]
        links = self.weights()[start:stop, start:stop] * words * words[:, None]
        row, column = np.unravel_index(links.argmax(), links.shape)
        return f"|pair.{row}.{column + start}"

    def show(self, wanted: Settings, slip: str = "none") -> Shown:
        """Work the head out from its true q, k and v."""
        return work_out(self._work, wanted, self.names(), self.window(), slip=slip)

    def _work(self, wanted: Settings) -> Calculation:
        steps = self._capture().head(self.layer, self.head)
        q, k, v = (torch.tensor(x).double() for x in (steps.q, steps.k, steps.v))  # (T, K)
        return from_qkv(q, k, v, wanted)

    def _capture(self) -> AttentionCapture:
        return store.capture(self.model, self.text, self.text_pair)


def draw() -> None:
    """Draw sentence, model and head, and the calculation below."""
    ready = sentence.ask()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = pick_model(PARAMETERS["left"].key, _("Model"))
    if ready:
        _calculation(model.name)


@st.fragment(key="calculation")
def _calculation(model: str) -> None:
    """The head and its steps: one fragment, so that a setting repaints nothing else."""
    loaded = store.loaded_model(model)
    layer, head = _choose_head(loaded)
    pair = st.session_state["pair"] if st.session_state["pair"].strip() else None
    found = Head(model, st.session_state["text"], pair, layer, head, st.session_state["first"])
    names, wanted = found.names(), settings()
    _choose_window(len(names.queries))
    found = Head(found.model, found.text, pair, layer, head, st.session_state["first"])
    choose_settings(len(names.keys))
    shown = found.show(wanted, st.session_state["mistake"])
    _compare(found, shown, wanted)
    draw_steps(
        shown,
        names,
        key="steps",
        side="left" if model_info(model).from_scratch else "right",
        view=found.view(st.session_state["look"]),
    )
    if shown.calculation is not None:
        name = f"{model} · {head_name(layer, head)}"
        take_away(
            partial(found.show, wanted),
            partial(head_script, model, found.text, pair, layer, head, wanted),
            title=_("Attention of {head}, step by step").format(head=name),
            subtitle=shortened(found.text, 300),
            stem=f"headlight_head_L{layer}-H{head}",
        )
    link.keep(PARAMETERS)


def _choose_head(model: LoadedModel) -> tuple[int, int]:
    """Draw the layer and head boxes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head_boxes("", model.n_layers, model.n_heads, _("Layer"), _("Head"))
    return st.session_state["layer"], st.session_state["head"]


def _choose_window(n_tokens: int) -> None:
    """Draw the choice of the tokens that are drawn, where not all of them are."""
    last = max(n_tokens - WINDOW, 0)
    st.session_state["first"] = min(st.session_state["first"], last)
    if last:
        st.slider(
            _("First token drawn ({shown} of {count} fit; all of them take part)").format(
                shown=WINDOW, count=n_tokens
            ),
            min_value=0,
            max_value=last,
            key="first",
            persist_state="session",
        )


def _compare(head: Head, shown: Shown, wanted: Settings) -> None:
    """Say how far the steps are from what the model itself computed."""
    if shown.calculation is None:
        return
    off = np.abs(shown.calculation.steps.weights[0].numpy() - head.weights()).max()
    if wanted == Settings():
        st.caption(
            _(
                "Worked out anew in 64 bits from the head's own q, k and v: no weight differs by "
                "more than {off:.1g} from what the model computed in 32."
            ).format(off=off)
        )
    else:
        st.caption(
            _(
                ":material/edit: Changed by your settings: the model itself divides by √d_k and "
                "has no such mask. Weights differ by up to {off:.4f} from its own."
            ).format(off=off)
        )
