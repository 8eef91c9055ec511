"""What attention costs: operations and bytes by the number of tokens, the reader's own marked."""

import numpy as np
import pandas as pd
import streamlit as st

from model.transformer.cost import BITS, FLOATS, Cost, costs, longest_that_fits
from pages.decoder.address import MOST_N
from pages.decoder.chosen import Scene, names, sizes_of_session
from pages.decoder.controls import whole
from pages.decoder.notebook import cost_lines
from pages.shared.charts import chart
from pages.shared.choices import choose
from pages.shared.language import _
from pages.shared.source import show_source
from pages.shared.tables import cells
from pages.shared.take_away import take_away
from viz.figures.masks import growth_figure

STOPS = tuple(2**power for power in range(4, 21))
LENGTHS = np.unique(np.geomspace(STOPS[0], MOST_N, 81).astype(np.int64))


def cost(seen: Scene) -> None:
    """Draw what ways to attend need, and say whether full attention fits into memory."""
    _ask()
    state = st.session_state
    known = costs(sizes_of_session())
    n, number_bytes = state["n"], BITS[state["number"]] // 8
    matrices = _matrices()
    limit = round(state["memory"] * 1e9)
    _fits(n, matrices, number_bytes, limit)
    chosen = state["mask_kind"] if state["mask_kind"] in known else "full"
    left, right = st.columns(2)
    with left:
        _growth(
            "operations",
            {
                name: _operations(way, state["cost_width"], state["cost_layers"])
                for name, way in known.items()
            },
            chosen,
            len(seen.labels),
            None,
        )
    with right:
        per_number = matrices * number_bytes
        _growth(
            "memory",
            {
                name: [way.numbers(int(x)) * per_number for x in LENGTHS]
                for name, way in known.items()
            },
            chosen,
            len(seen.labels),
            limit,
        )
    take_away("cost", cost_lines(), figure="memory_growth")
    show_source("cost", ["cost"])
    _table(known, n, matrices * number_bytes)


def ways() -> dict[str, str]:
    """What the ways to attend are called."""
    return {
        "full": _("Full"),
        **{name: names()[name] for name in ("window", "dilated", "global", "random", "block")},
        "strided": names()["strided"],
        "low_rank": _("Low rank"),
        "kernel": _("Kernel"),
    }


def _ask() -> None:
    """Draw what the counts depend on."""
    state = st.session_state
    state["n_stop"] = min(STOPS, key=lambda stop: abs(np.log(stop / state["n"])))
    with st.container(horizontal=True, vertical_alignment="bottom", key="cost_sizes"):
        st.select_slider(
            _("Tokens n, doubling"),
            STOPS,
            format_func="{:,}".format,
            key="n_stop",
            on_change=_take_stop,
            width=320,
        )
        whole(_("Tokens n, exactly"), "n", 1, MOST_N)
        whole(_("Layers"), "cost_layers", 1, 1000)
        whole(_("Heads"), "cost_heads", 1, 1000)
        whole(_("d_model"), "cost_width", 1, 100_000)
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
        held = {
            "head": _("one head"),
            "layer": _("a layer's heads"),
            "all": _("all layers (training)"),
        }
        choose(_("Weights kept at once"), held, "held")


def _take_stop() -> None:
    """A callback."""
    st.session_state["n"] = st.session_state["n_stop"]


def _matrices() -> int:
    """How many heads' weights are kept at once."""
    state = st.session_state
    heads, layers = state["cost_heads"], state["cost_layers"]
    return int({"head": 1, "layer": heads, "all": heads * layers}[state["held"]])


def _fits(n: int, matrices: int, number_bytes: int, limit: int) -> None:
    """Say how many bytes full attention keeps, and where it ends to fit."""
    needed = n * n * matrices * number_bytes
    most = longest_that_fits(limit, matrices, number_bytes)
    said = _(
        "n = {n:,}: {matrices:,} × n² weights of {size} bytes are {bytes:,} bytes, **{gb:,.4g} "
        "GB**. Full attention fits into {limit:g} GB up to **n = {most:,}**; from n = {next:,} on "
        "it no longer does."
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
        st.success(_("**It fits.** {numbers}").format(numbers=said))
    else:
        st.error(_("**It no longer fits.** {numbers}").format(numbers=said))


def _operations(way: Cost, width: int, n_layers: int) -> list[int]:
    return [way.operations(int(n), width) * n_layers for n in LENGTHS]


def _growth(
    key: str, needs: dict[str, list[int]], chosen: str, own: int, limit: int | None
) -> None:
    called, state = ways(), st.session_state
    titles = {
        "operations": (_("Operations of attention, all layers"), _("FLOPs"), ""),
        "memory": (_("Memory of what stands for the weights"), _("bytes"), "B"),
    }
    title, y_title, unit = titles[key]
    figure = growth_figure(
        LENGTHS,
        {called[name]: values for name, values in needs.items()},
        here=state["n"],
        chosen=called[chosen],
        own=own,
        limit=None if limit is None else (limit, f"{limit / 1e9:g} GB"),
        title=title,
        y_title=y_title,
        unit=unit,
        translate=_,
    )
    alt = _("{title} by the number of tokens, both axes logarithmic; a table follows.").format(
        title=title
    )
    chart(figure, f"{key}_growth", f"{key}-by-length", alt)


def _table(known: dict[str, Cost], n: int, number_bytes: int) -> None:
    """List each way's formula and what it comes to."""
    state, called = st.session_state, ways()
    full = known["full"].operations(n, 1)
    rows = []
    for name, way in known.items():
        operations = way.operations(n, state["cost_width"]) * state["cost_layers"]
        sign = "≤ " if way.bound == "at most" else ""
        share = way.operations(n, 1) / full
        kept = way.numbers(n) * number_bytes
        rows.append(
            (
                called[name],
                way.formula,
                f"{sign}{operations:,}",
                f"{sign}{share:.2%}",
                f"{sign}{kept:,}",
            )
        )
    titles = (
        _("way"),
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
    sizes = sizes_of_session()
    st.caption(
        _(
            "d is d_model, w = 2r + 1 = {window}, g = {g}, b = {block}, ρ = {random} random "
            "blocks, s = {stride}, k = {rank}, m = {features}: the boxes above each pattern and "
            "form set them. A product with its sum counts 2. A mask alone saves nothing: the n × n "
            "scores are computed and thrown away, unless the code leaves hidden cells out, as "
            "counted here. What grows with n alone (the linear maps, the feed-forward part) is "
            "left out."
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
