"""Which model: a picker that takes any name, and says in words what went wrong with it."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import (
    HeadlightError,
    LoadedModel,
    ModelInfo,
    NotDownloadedError,
    list_models,
    model_info,
)
from model.catalogue.names import TRAINED, checkpoint_names, checkpoint_step
from model.catalogue.pretrained.hub import download
from pages.shared import loading, settings
from pages.shared.language import _, in_words, ngettext, plain
from pages.shared.model_name import model_name
from pages.shared.parameters import VIEW
from pages.shared.recipe import SIDES
from viz import Side


def pick_model(key: str, label: str) -> LoadedModel:
    """Draw a model picker under its label, and load what it says; see :func:`picked_model`.

    Args:
        key: Of the picker, and of the session's choice.
        label: Over the box.
    """
    model_box(key, label)
    model = picked_model(key)
    st.caption(describe(model))
    return model


def model_box(key: str, label: str, *, in_row: bool = False) -> None:
    """Draw a model picker.

    Args:
        key: Of the picker, and of the session's choice.
        label: Over the box, or read aloud alone.
        in_row: Whether the box is narrow and stands without its label.
    """
    wanted = st.session_state[key]
    if wanted and wanted != loading.one_name(wanted):
        wanted = st.session_state[key] = loading.one_name(wanted)
    names = _offered()
    st.selectbox(
        label,
        names if wanted in names else [*names, wanted],
        key=key,
        accept_new_options=settings.now().any_model,
        persist_state="session",
        label_visibility="collapsed" if in_row else "visible",
        width=190 if in_row else "stretch",
        help=None if in_row else which_models(),
    )


def which_models() -> str:
    """What may be chosen in a model picker, and typed where the server allows it."""
    if not settings.now().any_model:
        return _("Choose a model of the list: this server shows no others.")
    return _(
        "Choose a model, or type a hub id (owner/name) or the path of a local folder: "
        "BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT, ModernBERT, or of decoders GPT-2, Llama, "
        "Mistral or Qwen2, as safetensors."
    )


def _offered() -> list[str]:
    """The names to choose from: behind our trained encoder, its checkpoints by step."""
    names = [info.name for info in list_models() if info.kind != "translator"]
    behind = names.index(TRAINED) + 1
    steps = [name for name in checkpoint_names() if name not in names]
    return [*names[:behind], *steps, *names[behind:], *settings.now().models]


def picked_model(key: str) -> LoadedModel:
    """Load what a picker says.

    Whatever goes wrong is said in words, and the model shown stays the one before.

    Args:
        key: Of the picker.
    """
    wanted = (st.session_state[key] or "").strip() or _default(key)
    try:
        model = loading.loaded_model(wanted)
    except NotDownloadedError as error:
        model = _keep_model(key)
        offer_download(key, wanted, in_words(error))
    except HeadlightError as error:
        model = _keep_model(key)
        st.error(plain(in_words(error)))
    else:
        st.session_state[f"{key}_kept"] = wanted
    if model.name != wanted:
        st.warning(plain(_("{model} is shown instead.").format(model=model_name(model.name))))
    return model


def pick_models(columns: Sequence[DeltaGenerator]) -> list[LoadedModel]:
    """Draw the pickers of the left and the right model, each in its column."""
    labels, models = side_labels(), []
    for side, column in zip(SIDES, columns, strict=True):
        with column:
            models.append(pick_model(side, labels[side]))
    return models


def side_labels() -> dict[Side, str]:
    """What the pickers of the two sides are called."""
    return {"left": _("Left model"), "right": _("Right model")}


def _default(key: str) -> str:
    return VIEW[key if key in VIEW else "left"].default


def _keep_model(key: str) -> LoadedModel:
    return loading.loaded_model(st.session_state.get(f"{key}_kept", _default(key)))


def describe(model: LoadedModel) -> str:
    """Say in a line what a model is, and how large."""
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
    elif model.stack == "decoder":
        kind = _("**Decoder**: a token sees itself and earlier ones.")
    else:
        kind = _("Pretrained.")
    sizes = _("{layers} × {heads} heads, {parameters:.1f} M parameters.").format(
        layers=model.n_layers, heads=model.n_heads, parameters=model.n_parameters / 1e6
    )
    return " ".join([kind, sizes, *_published_as(info)])


def _published_as(info: ModelInfo) -> list[str]:
    """Of weights that were published in fewer bits than is computed in, say so."""
    if info.bits == 32:
        return []
    return [_("{bits}-bit weights as published, computed in 32 bits.").format(bits=info.bits)]


def offer_download(key: str, name: str, reason: str) -> None:
    """Draw a button that fetches a hub model, and its progress.

    Args:
        key: Of the picker.
        name: Of the model.
        reason: Said above.
    """
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
