"""Operations and memory of attention patterns by the number of tokens."""

import numpy as np
import pandas as pd
import streamlit as st

from model.transformer.cost import BITS, FLOATS, Cost, costs, longest_that_fits
from pages.decoder.mask_controls import integer_box
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.mask_spec import PATTERNS, mask_names, pattern_sizes
from pages.decoder.notebook import cost_lines
from pages.decoder.url import MAX_N
from viz.figures.masks import growth_figure
from web.language import _
from web.widgets.charts import chart
from web.widgets.choices import choose
from web.widgets.export import export_menu
from web.widgets.source import show_source
from web.widgets.tables import cells

STOPS = tuple(2**power for power in range(4, 21))
LENGTHS = np.unique(np.geomspace(STOPS[0], MAX_N, 81).astype(np.int64))


def attention_costs(experiment: MaskExperiment) -> None:
    """Draw operations and memory of every pattern, and whether full attention fits into memory."""
    _controls()
    state = st.session_state
    patterns = costs(pattern_sizes())
    cell_bytes = BITS[state["number"]] // 8 * _stored_matrices()
    limit = round(state["memory"] * 1e9)
    _fits(limit)
    selected = state["mask_kind"] if state["mask_kind"] in patterns else "full"
    length = len(experiment.labels)
    left, right = st.columns(2)
    with left:
        operations = {
            name: [
                pattern.operations(int(n), state["cost_width"]) * state["cost_layers"]
                for n in LENGTHS
            ]
            for name, pattern in patterns.items()
        }
        _growth("operations", operations, selected, length, None)
    with right:
        memory = {
            name: [pattern.numbers(int(n)) * cell_bytes for n in LENGTHS]
            for name, pattern in patterns.items()
        }
        _growth("memory", memory, selected, length, limit)
    export_menu("cost", cost_lines(), figure="memory_growth")
    show_source("cost", ["cost"])
    _table(patterns, state["n"], cell_bytes)


def pattern_names() -> dict[str, str]:
    """Names of full attention, of the patterns and of the approximations, on screen."""
    names = mask_names()
    return {
        "full": _("Full"),
        **{name: names[name] for name in PATTERNS},
        "low_rank": _("Low rank"),
        "kernel": _("Kernel"),
    }


def _controls() -> None:
    state = st.session_state
    state["n_stop"] = min(STOPS, key=lambda stop: abs(np.log(stop / state["n"])))
    with st.container(horizontal=True, vertical_alignment="bottom", key="cost_sizes"):
        st.select_slider(
            _("Tokens n, doubling"),
            STOPS,
            format_func="{:,}".format,
            key="n_stop",
            on_change=_set_length,
            width=320,
        )
        integer_box(_("Tokens n, exactly"), "n", 1, MAX_N)
        integer_box(_("Layers"), "cost_layers", 1, 1000)
        integer_box(_("Heads"), "cost_heads", 1, 1000)
        integer_box(_("d_model"), "cost_width", 1, 100_000)
        st.number_input(
            _("Memory (GB)"),
            min_value=0.001,
            max_value=1e6,
            key="memory",
            format="%g",
            width=130,
            persist_state="session",
            help=_("GB are 10⁹ bytes."),
        )
    with st.container(horizontal=True, vertical_alignment="bottom", key="cost_held"):
        choose(_("A number is"), FLOATS, "number")
        stored = {
            "head": _("one head"),
            "layer": _("a layer's heads"),
            "all": _("all layers (training)"),
        }
        choose(_("Weights in memory"), stored, "held")


def _set_length() -> None:
    """Copy the slider's value to the exact number; a callback."""
    st.session_state["n"] = st.session_state["n_stop"]


def _stored_matrices() -> int:
    """How many heads' weights are in memory together."""
    state = st.session_state
    heads, layers = state["cost_heads"], state["cost_layers"]
    return int({"head": 1, "layer": heads, "all": heads * layers}[state["held"]])


def _fits(limit: int) -> None:
    """Show the bytes that full attention needs, and the length that fits into ``limit`` bytes."""
    n, matrices = st.session_state["n"], _stored_matrices()
    number_bytes = BITS[st.session_state["number"]] // 8
    needed = n * n * matrices * number_bytes
    most = longest_that_fits(limit, matrices, number_bytes)
    numbers = _(
        "n = {n:,}: {matrices:,} × n² weights of {size} bytes are {bytes:,} "
        "bytes, **{gb:,.4g} GB**. Full attention fits into {limit:g} GB up to **n"
        " = {most:,}**, and not from n = {next:,}."
    ).format(
        n=n,
        matrices=matrices,
        size=number_bytes,
        bytes=needed,
        gb=needed / 1e9,
        limit=limit / 1e9,
        most=most,
        next=most + 1,
    )
    if needed <= limit:
        st.success(_("**It fits.** {numbers}").format(numbers=numbers))
    else:
        st.error(_("**It does not fit.** {numbers}").format(numbers=numbers))


def _growth(
    kind: str, values: dict[str, list[int]], selected: str, length: int, limit: int | None
) -> None:
    """Draw one quantity of every pattern over the number of tokens.

    Args:
        kind: ``operations`` or ``memory``.
        values: For each pattern its values at :data:`LENGTHS`.
        selected: Pattern that is emphasised.
        length: Number of tokens of the sentence.
        limit: Memory limit in bytes; None draws no limit.
    """
    names = pattern_names()
    titles = {
        "operations": (_("Operations of attention, all layers"), _("FLOPs"), ""),
        "memory": (_("Memory of the weights or of their replacement"), _("bytes"), "B"),
    }
    title, y_title, unit = titles[kind]
    figure = growth_figure(
        LENGTHS,
        {names[name]: numbers for name, numbers in values.items()},
        here=st.session_state["n"],
        chosen=names[selected],
        own=length,
        limit=None if limit is None else (limit, f"{limit / 1e9:g} GB"),
        title=title,
        y_title=y_title,
        unit=unit,
        translate=_,
    )
    alt = _("{title} by the number of tokens, both axes logarithmic; a table follows.").format(
        title=title
    )
    chart(figure, f"{kind}_growth", f"{kind}-by-length", alt)


def _table(patterns: dict[str, Cost], n: int, cell_bytes: int) -> None:
    """List the formula of each pattern and its value at the chosen length."""
    state, names = st.session_state, pattern_names()
    full = patterns["full"].operations(n, 1)
    rows = []
    for name, pattern in patterns.items():
        operations = pattern.operations(n, state["cost_width"]) * state["cost_layers"]
        sign = "≤ " if pattern.bound == "at most" else ""
        rows.append(
            (
                names[name],
                pattern.formula,
                f"{sign}{operations:,}",
                f"{sign}{pattern.operations(n, 1) / full:.2%}",
                f"{sign}{pattern.numbers(n) * cell_bytes:,}",
            )
        )
    titles = (
        _("method"),
        _("FLOPs of a layer"),
        _("at n, all layers"),
        _("of full"),
        _("bytes at n"),
    )
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        cells(pd.DataFrame(rows, columns=titles)),
        hide_index=True,
        height="content",
        column_config=dict.fromkeys(titles[2:], right),
    )
    sizes = pattern_sizes()
    st.caption(
        _(
            "Window w = 2r + 1 = {window}, global g = {g}, block b = {block}, random "
            "blocks ρ = {random}. Stride s = {stride}, rank k = {rank}, features m = "
            "{features}; d is d_model. A multiplication with its addition counts as "
            "2. A mask saves nothing if the code computes all n × n scores; these "
            "numbers are for code that skips hidden cells. Linear maps and "
            "feed-forward layers are not included."
        ).format(
            window=2 * sizes.reach + 1,
            g=sizes.n_global,
            block=sizes.block,
            random=sizes.n_random,
            stride=sizes.stride,
            rank=sizes.rank,
            features=sizes.n_features,
        )
    )
