"""The lines of Python that make again what the page's parts show."""

import streamlit as st

from pages.decoder.address import MOST_TOKENS
from pages.decoder.asked import Asked
from pages.decoder.chosen import Chosen, Scene, sizes_of_session
from pages.decoder.generate_asked import Prompt
from pages.shared.translators import limit


def generation_lines(prompt: Prompt, layer: int, head: int) -> str:
    """Reproduce one head of a text in Python."""
    options = {**dict(prompt.options), **({"forced": dict(prompt.forced)} if prompt.forced else {})}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    return "\n".join(
        [
            "from model.catalogue.models import load_causal",
            "from viz import attention_heatmap",
            "",
            f"decoder = load_causal({prompt.model!r})",
            f"prompt = {prompt.text!r}",
            f"written = decoder.generate(prompt, max_new_tokens={prompt.count}{given})",
            "print(written.text)",
            "capture = written.capture",
            f"weights = capture.weights[{layer}, {head}]",
            f"allowed = capture.allowed[{layer}]",
            "figure = attention_heatmap(weights, capture.tokens, allowed=allowed)",
            "figure",
        ]
    )


def head_lines(seen: Scene) -> str:
    """Reproduce the head under the mask."""
    return "\n".join(
        [
            *_two_runs(seen, "from viz import attention_heatmap"),
            f"weights = masked.capture.weights[{seen.layer}, {seen.head}]",
            f"allowed = masked.capture.allowed[{seen.layer}]",
            "figure = attention_heatmap(weights, tokens.pieces, allowed=allowed)",
            "figure",
        ]
    )


def layer_lines(seen: Scene) -> str:
    """Reproduce the distances from full attention."""
    return "\n".join(
        [
            *_two_runs(
                seen,
                "from model.analysis.masking import departure",
                "from viz.figures.masks import departure_figure",
            ),
            "full = run_masked(model, tokens, text)",
            "distances, cosines = departure(full, masked)",
            "figure = departure_figure(distances, cosines)",
            "figure",
        ]
    )


def reach_lines(seen: Scene) -> str:
    """Reproduce how far the mask reaches."""
    return "\n".join(
        [
            *_asked(seen, "from viz.figures.masks import reach_figure"),
            "figure = reach_figure(masks.layers_needed(mask).numpy(), tokens.pieces)",
            "figure",
        ]
    )


def form_lines(seen: Scene, form: str, size: int) -> str:
    """Reproduce what stands in for a head's weights."""
    seed = st.session_state["form_seed"]
    made = {
        "low_rank": f"approximations.low_rank(head.weights, {size})",
        "kernel": f"approximations.random_features(head.q, head.k, {size}, {seed})",
        "hashed": "approximations.kept_alone(\n    head.weights, "
        f"approximations.same_bucket(head.q, head.k, {size}, {seed})\n)",
    }[form]
    return "\n".join(
        [
            "from model import load_model",
            "from model.analysis import approximations",
            "from model.analysis.masking import read_tokens, run_masked",
            "from viz import attention_heatmap",
            "",
            *_tokens(seen, 0),
            "full = run_masked(model, tokens, text)",
            f"head = full.capture.head({seen.layer}, {seen.head})",
            f"weights = {made}",
            "figure = attention_heatmap(weights, tokens.pieces)",
            "figure",
        ]
    )


def cost_lines() -> str:
    """Reproduce the memory by length."""
    state = st.session_state
    heads = {"head": "1", "layer": "{heads}", "all": "{layers} * {heads}"}[state["held"]]
    heads = heads.format(layers=state["cost_layers"], heads=state["cost_heads"])
    return "\n".join(
        [
            "import numpy as np",
            "from model.transformer.cost import BITS, Sizes, costs, longest_that_fits",
            "from viz.figures.masks import growth_figure",
            "",
            f"sizes = {sizes_of_session()!r}",
            f'number = {heads} * BITS["{state["number"]}"] // 8  # bytes of a cell in all matrices',
            f"print(longest_that_fits({round(state['memory'] * 1e9)}, number, 1))",
            "lengths = np.unique(np.geomspace(16, 2**20, 81).astype(np.int64))",
            "needs = {",
            "    name: [cost.numbers(int(n)) * number for n in lengths]",
            "    for name, cost in costs(sizes).items()",
            "}",
            f'figure = growth_figure(lengths, needs, here={state["n"]}, y_title="bytes")',
            "figure",
        ]
    )


def _two_runs(seen: Scene, *imports: str) -> list[str]:
    """Make ``model``, ``text``, ``tokens``, ``mask`` and the run ``masked``."""
    return [
        *_asked(seen, "from model.analysis.masking import run_masked", *imports),
        "masked = run_masked(model, tokens, text, masks.seeing_themselves(mask))",
    ]


def _asked(seen: Scene, *imports: str) -> list[str]:
    """Make ``model``, ``text``, ``tokens`` and ``mask``."""
    return [
        "import torch",
        "from model import causal_mask, load_model, padding_mask",
        "from model.analysis.masking import read_tokens",
        "from model.transformer import masks",
        *imports,
        "",
        *_tokens(seen, seen.n_padding),
        "n = len(tokens.ids)",
        f"mask = {expression(seen.chosen, seen.n_padding)}",
    ]


def _tokens(seen: Scene, n_padding: int) -> list[str]:
    return [
        f"model = load_model({seen.model!r})",
        f"text = {seen.text!r}",
        f"tokens = read_tokens(model, text, {MOST_TOKENS}, {n_padding})",
    ]


def expression(chosen: Chosen, n_padding: int) -> str:
    """The mask as an expression of ``n``, the number of tokens."""
    sizes = chosen.sizes
    full = "torch.ones(n, n, dtype=torch.bool)"
    padding = f"padding_mask(torch.tensor([n - {n_padding}]), n)[0, 0].expand(n, n)"
    window = f"masks.sliding_window(n, {sizes.reach})"
    blocks = f"{sizes.block}, {sizes.n_global}, {sizes.n_random}, {chosen.seed}"
    made = {
        "none": full,
        "padding": padding,
        "causal": "causal_mask(n)",
        "both": f"causal_mask(n) & {padding}",
        "drawn": _drawn(chosen) if chosen.drawn else full,
        "window": window,
        "dilated": f"masks.dilated_window(n, {sizes.reach}, {sizes.dilation})",
        "global": f"masks.with_global({window}, {sizes.n_global})",
        "random": f"masks.global_and_random(n, {blocks})",
        "block": f"masks.block_sparse(n, {sizes.block})",
        "strided": f"masks.strided(n, {sizes.stride})",
    }[chosen.kind]
    if chosen.causal:
        made = f"{made} & causal_mask(n)"
    return f"~({made})" if chosen.inverted else made


def _drawn(chosen: Chosen) -> str:
    rows = chosen.mask(0, 0) if not chosen.inverted else ~chosen.mask(0, 0)
    bits = " ".join("".join("01"[cell] for cell in row) for row in rows.tolist())
    return f'torch.tensor([[cell == "1" for cell in row] for row in "{bits}".split()])'


def translation_lines(asked: Asked, stack: str, layer: int, head: int) -> str:
    """Reproduce one head of a translation."""
    forced = {"forced": dict(asked.forced)} if asked.forced else {}
    options = {**limit(asked.model), **dict(asked.options), **forced}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    return "\n".join(
        [
            "from model import load_model",
            "from viz import attention_heatmap",
            "",
            f"translator = load_model({asked.model!r})",
            f"written = translator.generate({asked.text!r}{given})",
            "print(written.text)",
            f"capture = written.{stack}",
            f"weights = capture.weights[{layer}, {head}]",
            "figure = attention_heatmap(weights, capture.tokens, capture.key_tokens)",
            "figure",
        ]
    )
