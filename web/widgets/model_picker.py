"""Model picker: accepts any name and reports errors in words."""

import re
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import streamlit as st

from model import HeadlightError, LoadedModel, NotDownloadedError, list_models, model_info
from model.catalogue.names import TRAINED, checkpoint_step
from model.catalogue.pretrained.loader import download_checked
from web import settings
from web.cache import loaded_models, uploaded_captures
from web.language import _, in_words, ngettext, plain, sentences
from web.model_name import model_name, picked_model, picker_name
from web.view_state.field import Field
from web.view_state.parameters import View


def descriptions() -> dict[str, str]:
    """Return half a line on each model of the catalogue, in the reader's language.

    A picker prefers the shortest match: the one of ``scratch`` is shorter than those of its kind.
    """
    return {
        "scratch": _("our encoder"),
        "scratch-untrained": _("random parameters"),
        "scratch-minilm": _("our encoder, minilm's parameters"),
        "minilm": _("BERT, pretrained"),
        "minilm-sentiment": _("tuned"),
        "bert-base-uncased": _("BERT, 12 layers; a download"),
        "smollm2": _("decoder, 30 layers"),
        "phrases": _("to French"),
        "dates": _("to ISO dates"),
    }


def described(model: str) -> str:
    """Return a model's name for a picker, of a model of the catalogue with its description."""
    text = descriptions().get(model)
    return f"{model} · {text}" if text else picker_name(model)


def draw_catalogue_box(
    label: str, offered: Iterable[str], shown: str, key: str, on_change: Callable[[str], None]
) -> None:
    """Draw a box of models that opens on the shown one, which the callback gets."""
    names = list(dict.fromkeys((*offered, *settings.now().models, shown)))
    st.selectbox(
        label,
        names,
        index=names.index(shown),
        format_func=described,
        key=f"{key}_{shown}",
        on_change=on_change,
        args=(shown,),
        accept_new_options=settings.now().any_model,
        label_visibility="collapsed",
        width=240,
    )


def box_choice(key: str, shown: str) -> str:
    """Return the model that was chosen in a box of the catalogue."""
    return picked_model(st.session_state[f"{key}_{shown}"] or "").strip() or shown


def draw_picker(field: Field[str], **look: Any) -> None:
    """Draw a model picker."""
    wanted = field.value
    if wanted and wanted != (model := loaded_models.cache_name(picked_model(wanted))):
        wanted = field.value = model
    listed = (info.name for info in list_models() if info.kind != "translator")
    field.draw(
        options=list(dict.fromkeys((*listed, *settings.now().models, wanted))),
        format_func=described,
        accept_new_options=settings.now().any_model,
        **{"help": which_models(), **look},
    )


def which_models() -> str:
    """Return the help text: which models can be chosen or typed."""
    if not settings.now().any_model:
        return _("Choose a model from the list. This server offers no others.")
    return _(
        "Choose a model, or type a hub id (owner/name), the path of a local folder with "
        "safetensors, or the path of a GGUF file. Headlight opens most encoders and decoders of "
        "transformers, such as BERT, RoBERTa, GPT-2, Llama, Mistral, Qwen, Gemma 3, Phi and Pythia."
    )


def load_picked_model(field: Field[str]) -> LoadedModel:
    """Load the picked model; on an error, report it and return the previous model."""
    wanted = (field.value or "").strip() or field.default
    try:
        model = loaded_models.loaded_model(wanted)
    except NotDownloadedError as error:
        model = _previous_model(field)
        offer_download(field.key, wanted, in_words(error))
    except HeadlightError as error:
        model = _previous_model(field)
        st.error(plain(in_words(error)))
    else:
        st.session_state[f"{field.key}_kept"] = wanted
    if model.name != wanted:
        st.warning(plain(_("{model} is shown instead.").format(model=model_name(model.name))))
    return model


def picked_or_file(field: Field[str]) -> str:
    """Return the picked model's name, or that of a file of weights in its place."""
    if not uploaded_captures.is_file(field.value):
        return load_picked_model(field).name
    try:
        uploaded_captures.capture(field.value)
    except HeadlightError as error:  # it is gone
        st.error(plain(in_words(error)))
        return _previous_model(field).name
    return field.value


def _previous_model(field: Field[str]) -> LoadedModel:
    """Load the model that was shown, or a default if its weights are damaged."""
    previous = st.session_state.get(f"{field.key}_kept", field.default)
    for name in (previous, View.left.default):
        with suppress(HeadlightError):
            return loaded_models.loaded_model(name)
    return loaded_models.loaded_model(View.right.default)


def describe(model: LoadedModel) -> str:
    """Return one line on a model's kind and size."""
    info = model_info(model.name)
    step = checkpoint_step(model.name)
    if not info.trained:
        kind = _("Untrained: its parameters are random.")
    elif step is not None:
        kind = ngettext(
            "Our encoder after {step} training step.",
            "Our encoder after {step} training steps.",
            step,
        ).format(step=f"{step:,}")
    elif info.name == TRAINED:
        kind = _("Our own small Transformer.")
    elif info.from_scratch:
        kind = _("Our encoder with minilm's parameters.")
    elif model.stack == "decoder":
        kind = _("A decoder: a token attends to itself and to earlier tokens.")
    elif model.task is not None:
        kind = _("Pretrained, then fine-tuned for a task.")
    elif info.name == "minilm":
        kind = _("A small pretrained BERT, tuned to compare sentences.")
    else:
        kind = _("Pretrained.")
    sizes = _("{layers} layers (L) × {heads} heads (H), {parameters:.1f} M parameters.").format(
        layers=model.n_layers, heads=model.n_heads, parameters=model.n_parameters / 1e6
    )
    if not model.quantisation:
        return sentences(kind, sizes)
    bits = re.sub(r"\D*(\d+).*", r"\1", model.quantisation)  # Q4_1: 4
    weights = _("Its file rounds the numbers of its matrices to {bits} bits.").format(bits=bits)
    return sentences(kind, sizes, weights)


def offer_download(key: str, name: str, reason: str) -> None:
    """Draw a button that downloads a hub model, and its progress."""
    st.info(plain(reason))
    label = _("Download {model}").format(model=plain(name))
    if not st.button(label, key=f"download_{key}", icon=":material/download:"):
        return
    bar = st.progress(0.0, _("Contacting the model hub"))
    progress = [0, 0]

    def report(done: int, total: int) -> None:
        progress[:] = done, total

    # Only the script thread may draw, so it polls the download ten times a second.
    with ThreadPoolExecutor(1) as pool:
        fetched = pool.submit(download_checked, name, report, settings.now().placement)
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
