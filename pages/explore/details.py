"""The selected head of each side: heatmap or lines, ranked tokens, numbers to take away.

All of it is one fragment: selecting a head or a token repaints this part and nothing else.
"""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from model.analysis.units import attended_by, attends_to
from pages import components
from pages.explore.address import PARAMETERS
from pages.shared import address
from pages.shared.about_head import about_head
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.head_picker import head_boxes, head_name
from pages.shared.language import _, plain
from pages.shared.notebook import head_lines
from pages.shared.parameters import write_text
from pages.shared.recipe import Recipe, Shown
from pages.shared.sentence import pick, pick_from, picked
from pages.shared.take_away import stem, take_away
from viz import HEAD_COLOURS, Side, attention_heatmap, lines_payload, shortened
from viz.style.theme import rgb

CALCULATOR = Path(__file__).parents[1] / "calculator" / "page.py"

MAX_OVERLAID = len(HEAD_COLOURS) - 1


@st.fragment(key="details")
def details(left_side: Recipe, right_side: Recipe) -> None:
    """Draw both sides' selected heads."""
    left, right = left_side.show(), right_side.show()
    _controls(left, right)
    heads = {s.side: s.weights(s.capture.weights[s.selected()]) for s in (left, right)}
    top = 1.0
    if st.session_state["range"] == "data":
        top = max(max((float(w.max()) for w in heads.values() if w.size), default=1.0), 1e-4)
    for column, shown in zip(st.columns(2), (left, right), strict=True):
        with column:
            _figure(shown, left, heads[shown.side], top)
            st.caption("  \n".join(about_head(shown.recipe, *shown.selected())))
            _ranks(shown, left, heads[shown.side])
            _take_away(shown, heads[shown.side])
    _same_numbers(left, right)
    with st.container(horizontal=True, vertical_alignment="center"):
        _sync(left, right, top)
        st.caption(
            _(
                "**Attention is not explanation**: a weight says where a head reads, not why the "
                "model decides. Rows are queries (attending), columns are keys (attended to)."
            )
        )
    address.keep(PARAMETERS)


# -- controls ------------------------------------------------------------------------------------


def _controls(left: Shown, right: Shown) -> None:
    linked = st.session_state["linked"]
    layers = max(left.capture.n_layers, right.capture.n_layers if linked else 0)
    heads = max(left.capture.n_heads, right.capture.n_heads if linked else 0)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head_boxes("", layers, heads, _("Layer"), _("Head"))
        if not linked:
            capture = right.capture
            head_boxes(
                "right_", capture.n_layers, capture.n_heads, _("Right layer"), _("Right head")
            )
        st.toggle(
            _("Sides move together"),
            key="linked",
            on_change=_unlink,
            persist_state="session",
        )
        _choice("view", _("View"), {"heatmap": _("Heatmap"), "lines": _("Lines")})
        _choice("scale", _("Colour"), {"linear": _("Linear"), "sqrt": _("Square root")})
        _choice("range", _("Range"), {"unit": "0 – 1", "data": _("Data")})
    if st.session_state["view"] == "lines":
        _overlay_box(left, right)
    for shown in (left, right):
        _say_if_missing(shown)


def _unlink() -> None:
    """Unlinked sides start from the head that both showed."""
    for name in ("layer", "head"):
        st.session_state[f"right_{name}"] = st.session_state[name]


def _choice(key: str, label: str, options: dict[str, str]) -> None:
    st.segmented_control(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        required=True,
        persist_state="session",
    )


def _overlay_box(left: Shown, right: Shown) -> None:
    layers = max(left.capture.n_layers, right.capture.n_layers)
    heads = max(left.capture.n_heads, right.capture.n_heads)
    options = [(layer, head) for layer in range(layers) for head in range(heads)]
    known = [tuple(head) for head in st.session_state["overlaid"] if tuple(head) in options]
    st.session_state["overlaid"] = known[:MAX_OVERLAID]
    st.multiselect(
        _("Heads laid over the selected one (or shift-click them in an overview)"),
        options,
        key="overlaid",
        format_func=lambda head: head_name(*head),
        max_selections=MAX_OVERLAID,
        persist_state="session",
    )


def _say_if_missing(shown: Shown) -> None:
    prefix = "right_" if shown.side == "right" and not st.session_state["linked"] else ""
    wanted = st.session_state[f"{prefix}layer"], st.session_state[f"{prefix}head"]
    if shown.selected() != wanted:
        st.caption(
            _("{model} has no {wanted}: it shows {head}.").format(
                model=plain(shown.capture.model),
                wanted=head_name(*wanted),
                head=head_name(*shown.selected()),
            )
        )


# -- figures -------------------------------------------------------------------------------------


def _title(shown: Shown) -> tuple[str, str]:
    sentence = " | ".join(filter(None, (shown.capture.text, shown.capture.text_pair)))
    return f"{shown.capture.model} · {head_name(*shown.selected())}", shortened(sentence, 48)


def _described(shown: Shown, weights: np.ndarray) -> str:
    if not weights.size:
        return _("No tokens are shown.")
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    return _(
        "Attention weights of {model}, head {head}, {count} tokens; strongest: {query} to {key}, "
        "{weight:.4f}. A table of all values follows."
    ).format(
        model=shown.capture.model,
        head=head_name(*shown.selected()),
        count=len(shown.units),
        query=shown.labels[query],
        key=shown.labels[key],
        weight=float(weights[query, key]),
    )


def _figure(shown: Shown, left: Shown, weights: np.ndarray, top: float) -> None:
    if not weights.size:
        st.info(_("Only special tokens are left, and they are hidden."))
    elif st.session_state["view"] == "lines":
        _lines(shown, left, weights)
    else:
        title, subtitle = _title(shown)
        figure = attention_heatmap(
            weights,
            [unit.label for unit in shown.units],
            title=title,
            subtitle=subtitle,
            side=shown.side,
            sqrt=st.session_state["scale"] == "sqrt",
            value_range=(0.0, top),
            text_colour=THEME_TEXT,
            translate=_,
        )
        chart(figure, f"heatmap_{shown.side}", _file_stem(shown), _described(shown, weights))


def _lines(shown: Shown, left: Shown, weights: np.ndarray) -> None:
    capture, selected = shown.capture, shown.selected()
    others = [
        (layer, head)
        for layer, head in st.session_state["overlaid"]
        if (layer, head) != selected and layer < capture.n_layers and head < capture.n_heads
    ]
    stacked = [weights, *(shown.weights(capture.weights[head]) for head in others)]
    colours = [rgb(shown.side)] if not others else list(HEAD_COLOURS[: len(stacked)])
    st.markdown("**{}**  \n{}".format(*map(plain, _title(shown))))
    components.lines(
        lines_payload(
            np.stack(stacked),
            shown.labels,
            side=shown.side,
            names=[head_name(*head) for head in (selected, *others)],
            colours=colours,
            description=_described(shown, weights),
        ),
        key=f"lines_{shown.side}",
        on_picked=partial(pick_from, f"lines_{shown.side}", shown.recipe, left.recipe),
    )
    st.caption(
        _(
            "Left: attending; right: attended to. Opacity is the weight; weights below 0.01 are "
            "not drawn. Hover a token to isolate it and read its numbers."
        )
    )


# -- picked tokens -------------------------------------------------------------------------------


def _ranks(shown: Shown, left: Shown, weights: np.ndarray) -> None:
    chosen = picked(shown, left)
    if not chosen:
        return
    names = ", ".join(shown.labels[i] for i in chosen)
    given, received = st.columns(2)
    with given:
        _rank(shown, _("{tokens} attends to"), names, attends_to(weights, chosen), len(chosen))
    with received:
        _rank(shown, _("Attends to {tokens}"), names, attended_by(weights, chosen), len(chosen))


def _rank(shown: Shown, heading: str, names: str, values: np.ndarray, count: int) -> None:
    st.caption(f"**{heading.format(tokens=plain(shortened(names, 40)))}**")
    order = np.argsort(-values, kind="stable")
    table = pd.DataFrame(
        {"token": [shown.labels[i] for i in order], "weight": values[order].astype(float)}
    )
    st.dataframe(
        table,
        hide_index=True,
        height=250,
        alt=_("Tokens by attention weight"),
        column_config={
            "token": st.column_config.TextColumn(_("token")),
            "weight": st.column_config.ProgressColumn(
                _("weight"), format="%.4f", min_value=0.0, max_value=float(count)
            ),
        },
    )


# -- numbers to take away ------------------------------------------------------------------------


def _file_stem(shown: Shown) -> str:
    return stem(
        shown.capture.model, "L{}-H{}".format(*shown.selected()), shown.capture.text.lower()
    )


def _frame(shown: Shown, weights: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(weights, index=shown.labels, columns=shown.labels)


def _take_away(shown: Shown, weights: np.ndarray) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        lines = head_lines(shown.recipe, *shown.selected())
        take_away(f"head_{shown.side}", lines, shown.recipe)
        st.page_link(
            CALCULATOR,
            label=_("Step by step"),
            icon=":material/calculate:",
            query_params=_as_head(shown),
        )
    table = st.expander(
        _("Table of values"), key=f"table_{shown.side}", on_change="rerun", icon=":material/table:"
    )
    if table.open:
        table.dataframe(_frame(shown, weights).style.format("{:.6f}"))


def _as_head(shown: Shown) -> dict[str, str]:
    """The Calculator's address of this head."""
    layer, head = shown.selected()
    address = {
        "mode": "head",
        "text": write_text(shown.capture.text),
        "left": shown.capture.model,
        "layer": str(layer),
        "head": str(head),
    }
    pair = shown.capture.text_pair
    return address if pair is None else {**address, "pair": write_text(pair)}


def _same_numbers(left: Shown, right: Shown) -> None:
    """Prove live that our encoder, carrying MiniLM's weights, is BERT: no number differs."""
    ours, theirs = left.capture, right.capture
    if {ours.model, theirs.model} == {"scratch-minilm", "minilm"}:
        difference = float(np.abs(ours.weights - theirs.weights).max())
        st.caption(
            _(
                "Largest difference between the two sides over all {count} heads: {value:.2g}"
            ).format(count=ours.n_layers * ours.n_heads, value=difference)
        )


# -- the browser's own views ---------------------------------------------------------------------


def _sync(left: Shown, right: Shown, top: float) -> None:
    overlaid = []
    if st.session_state["view"] == "lines" and st.session_state["overlaid"]:
        heads = [left.selected(), *map(tuple, st.session_state["overlaid"])]
        overlaid = [[*head, colour] for head, colour in zip(heads, HEAD_COLOURS, strict=False)]
    view = {
        "linked": st.session_state["linked"],
        "sqrt": st.session_state["scale"] == "sqrt",
        "range": [0.0, top],
        "overlaid": overlaid,
        "picked": {shown.side: picked(shown, left) for shown in (left, right)},
    }
    for shown in (left, right):
        layer, head = shown.selected()
        view[shown.side] = {"layer": layer, "head": head}
    strings = {
        "copy": _("Copy link"),
        "copied": _("Link copied"),
    }
    recipes = {shown.side: shown.recipe for shown in (left, right)}
    components.sync(view, strings, on_picked=partial(_pick_row, recipes))


def _pick_row(recipes: dict[Side, Recipe]) -> None:
    """A click on a heatmap: a callback."""
    event = st.session_state["sync"].picked
    pick(event["units"], recipes[event["side"]], recipes["left"])
