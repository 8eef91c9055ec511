"""Code of the views of the Decoder page."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from model.analysis.approximations import (
    low_rank,
    random_features,
    renormalised_weights,
    same_bucket,
)
from model.analysis.masking import departure, read_tokens, run_masked
from model.transformer import masks
from model.transformer.cost import BITS, costs, longest_that_fits
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.mask_spec import MAX_TOKENS, PATTERNS, MaskSpec, pattern_sizes, unpack_mask
from pages.decoder.request import GenerationRequest, TranslationRequest
from viz import attention_heatmap
from viz.figures.masks import departure_figure, growth_figure, reach_figure
from web.widgets.notebook import CAPTURE, MODEL, loading
from web.widgets.recorder import Code, Notebook, code
from web.widgets.translators import length_limit

TEXT, TOKENS, MASK = Code("text"), Code("tokens"), Code("mask")

_MASK_IMPORTS = (
    "import torch",
    "from model import causal_mask",
    "from model import padding_mask",
    "from model.transformer import masks",
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
    notebook = _masked_run(experiment)
    notebook.let("capture", Code("masked").capture)
    return _show_head(notebook, TOKENS.pieces, experiment.layer, experiment.head)


def layer_lines(experiment: MaskExperiment) -> str:
    """Code of the distances between a masked run and full attention."""
    notebook = _masked_run(experiment)
    full = notebook.let("full", code(run_masked)(MODEL, TOKENS, TEXT))
    notebook.let("distances, cosines", code(departure)(full, Code("masked")))
    return notebook.show(code(departure_figure)(Code("distances"), Code("cosines")))


def reach_lines(experiment: MaskExperiment) -> str:
    """Code of the mask's reach over the layers."""
    notebook = _record_mask(experiment)
    reached = code(masks.layers_needed)(MASK).numpy()
    return notebook.show(code(reach_figure)(reached, TOKENS.pieces))


def form_lines(experiment: MaskExperiment, form: str, size: int) -> str:
    """Code of an approximation of a head's weights."""
    notebook = Notebook()
    _record_tokens(notebook, experiment, 0)
    full = notebook.let("full", code(run_masked)(MODEL, TOKENS, TEXT))
    head = notebook.let("head", full.capture.head(experiment.layer, experiment.head))
    seed = st.session_state["form_seed"]
    weights = {
        "low_rank": code(low_rank)(head.weights, size),
        "kernel": code(random_features)(head.q, head.k, size, seed),
        "hashed": code(renormalised_weights)(
            head.weights, code(same_bucket)(head.q, head.k, size, seed)
        ),
    }[form]
    return notebook.show(code(attention_heatmap)(notebook.let("weights", weights), TOKENS.pieces))


def cost_lines() -> str:
    """Code of the memory by number of tokens."""
    state, notebook = st.session_state, Notebook()
    sizes = notebook.let("sizes", pattern_sizes())
    matrices = {
        "head": 1,
        "layer": state["cost_heads"],
        "all": state["cost_layers"] * state["cost_heads"],
    }
    number = notebook.let("number", matrices[state["held"]] * BITS[state["number"]] // 8)
    memory = round(state["memory"] * 1e9)
    notebook.run(code(print)(code(longest_that_fits)(memory, number, 1)))
    lengths = notebook.let(
        "lengths", code(np).unique(code(np).geomspace(16, 2**20, 81).astype("i8"))
    )
    notebook.let("forms", code(costs)(sizes))
    sums = (
        "{name: [cost.numbers(int(n)) * number for n in lengths] for name, cost in forms.items()}"
    )
    needs = notebook.let("needs", Code(sums))
    return notebook.show(code(growth_figure)(lengths, needs, here=state["n"], y_title="bytes"))


def _forced(forced: tuple[tuple[int, str], ...]) -> Mapping[str, Any]:
    return {"forced": dict(forced)} if forced else {}


def _show_head(notebook: Notebook, tokens: Code, layer: int, head: int) -> str:
    weights = notebook.let("weights", CAPTURE.weights[layer, head])
    return notebook.show(code(attention_heatmap)(weights, tokens, allowed=CAPTURE.allowed[layer]))


def _masked_run(experiment: MaskExperiment) -> Notebook:
    """Record the run ``masked``, with everything before it."""
    notebook = _record_mask(experiment)
    mask = code(masks.allow_self_if_empty)(MASK)
    notebook.let("masked", code(run_masked)(MODEL, TOKENS, TEXT, mask))
    return notebook


def _record_mask(experiment: MaskExperiment) -> Notebook:
    """Record ``model``, ``text``, ``tokens`` and ``mask``."""
    notebook = Notebook()
    _record_tokens(notebook, experiment, experiment.n_padding)
    notebook.let("n", code(len)(TOKENS.ids))
    notebook.let("mask", Code(mask_code(experiment.spec, experiment.n_padding), _MASK_IMPORTS))
    return notebook


def _record_tokens(notebook: Notebook, experiment: MaskExperiment, n_padding: int) -> None:
    notebook.let("model", loading(experiment.model))
    notebook.let("text", experiment.text)
    notebook.let("tokens", code(read_tokens)(MODEL, TEXT, MAX_TOKENS, n_padding))


def mask_code(spec: MaskSpec, n_padding: int) -> str:
    """Return an expression of ``n``, the number of tokens, that builds the mask."""
    padding = f"padding_mask(torch.tensor([n - {n_padding}]), n)[0, 0].expand(n, n)"
    basic = {
        "padding": padding,
        "causal": "causal_mask(n)",
        "both": f"causal_mask(n) & {padding}",
    }
    if spec.kind in PATTERNS:
        code = PATTERNS[spec.kind].code.format(*spec.sizes)
    elif spec.kind == "drawn" and spec.drawn:
        rows = unpack_mask(spec.drawn).tolist()
        bits = " ".join("".join("01"[cell] for cell in row) for row in rows)
        code = f'torch.tensor([[cell == "1" for cell in row] for row in "{bits}".split()])'
    else:
        code = basic.get(spec.kind, "torch.ones(n, n, dtype=torch.bool)")
    if spec.causal:
        code = f"{code} & causal_mask(n)"
    return f"~({code})" if spec.inverted else code
