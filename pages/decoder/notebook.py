"""Code of the views of the Decoder page."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from model.analysis.approximations import approximate
from model.analysis.masking import read_tokens, run_masked
from model.transformer.masks import allow_self_if_empty
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.mask_spec import MAX_TOKENS, MaskSpec, unpack_mask
from pages.decoder.request import GenerationRequest, TranslationRequest
from viz import attention_heatmap
from web.widgets.notebook import CAPTURE, MODEL, loading
from web.widgets.recorder import Code, Notebook, code
from web.widgets.translators import length_limit

TEXT, TOKENS, MASK = Code("text"), Code("tokens"), Code("mask")

_MASK_IMPORTS = (
    "import torch",
    "from model import causal_mask",
    "from model import padding_mask",
)


def generation_lines(request: GenerationRequest, layer: int, head: int) -> str:
    """Code of one head on a generated text."""
    notebook = Notebook()
    decoder = notebook.let("decoder", loading(request.model))
    options = {
        "max_new_tokens": request.count,
        **dict(request.options),
        **_forced(request.forced),
    }
    written = notebook.let("written", decoder.generate(request.text, **options))
    notebook.run(code(print)(written.text))
    notebook.let("capture", written.capture)
    return _show_head(notebook, CAPTURE.tokens, layer, head)


def translation_lines(request: TranslationRequest, stack: str, layer: int, head: int) -> str:
    """Code of one head of a translation."""
    notebook = Notebook()
    translator = notebook.let("translator", loading(request.model))
    options = {
        **length_limit(request.model),
        **dict(request.options),
        **_forced(request.forced),
    }
    written = notebook.let("written", translator.generate(request.text, **options))
    notebook.run(code(print)(written.text))
    notebook.let("capture", getattr(written, stack))
    weights = CAPTURE.weights[layer, head]
    return notebook.show(code(attention_heatmap)(weights, CAPTURE.tokens, CAPTURE.key_tokens))


def masked_head_lines(experiment: MaskExperiment) -> str:
    """Code of the head under the mask."""
    notebook, n_padding = Notebook(), experiment.n_padding
    _record_tokens(notebook, experiment.model, experiment.text, n_padding)
    notebook.let("n", code(len)(TOKENS.ids))
    notebook.let("mask", Code(mask_code(experiment.spec, n_padding), _MASK_IMPORTS))
    mask = code(allow_self_if_empty)(MASK)
    notebook.let("masked", code(run_masked)(MODEL, TOKENS, TEXT, mask))
    notebook.let("capture", Code("masked").capture)
    return _show_head(notebook, TOKENS.pieces, experiment.layer, experiment.head)


def efficient_lines(method: str, size: int, layer: int, head: int) -> str:
    """Code of an approximation of a head's weights."""
    state, notebook = st.session_state, Notebook()
    _record_tokens(notebook, state["encoder"], state["text"], 0)
    full = notebook.let("full", code(run_masked)(MODEL, TOKENS, TEXT))
    chosen = notebook.let("head", full.capture.head(layer, head))
    options = {}
    if method == "global":
        options["n_global"] = state["n_global"]
    if method in ("features", "hashing"):
        options["seed"] = state["efficient_seed"]
    found = code(approximate)(chosen, method, size, **options)
    notebook.let("weights, n_products", found)
    return notebook.show(code(attention_heatmap)(Code("weights"), TOKENS.pieces))


def _forced(forced: tuple[tuple[int, str], ...]) -> Mapping[str, Any]:
    return {"forced": dict(forced)} if forced else {}


def _show_head(notebook: Notebook, tokens: Code, layer: int, head: int) -> str:
    weights = notebook.let("weights", CAPTURE.weights[layer, head])
    return notebook.show(code(attention_heatmap)(weights, tokens, allowed=CAPTURE.allowed[layer]))


def _record_tokens(notebook: Notebook, model: str, text: str, n_padding: int) -> None:
    notebook.let("model", loading(model))
    notebook.let("text", text)
    notebook.let("tokens", code(read_tokens)(MODEL, TEXT, MAX_TOKENS, n_padding))


def mask_code(spec: MaskSpec, n_padding: int) -> str:
    """Return an expression of ``n``, the number of tokens, that builds the mask."""
    padding = f"padding_mask(torch.tensor([n - {n_padding}]), n)[0, 0].expand(n, n)"
    basic = {
        "padding": padding,
        "causal": "causal_mask(n)",
        "both": f"causal_mask(n) & {padding}",
    }
    if spec.kind == "drawn" and spec.drawn:
        rows = unpack_mask(spec.drawn).tolist()
        bits = " ".join("".join("01"[cell] for cell in row) for row in rows)
        code = f'torch.tensor([[cell == "1" for cell in row] for row in "{bits}".split()])'
    else:
        code = basic.get(spec.kind, "torch.ones(n, n, dtype=torch.bool)")
    return f"~({code})" if spec.inverted else code
