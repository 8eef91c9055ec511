"""Fields of the Calculator: typed matrices, a real head, or exercises."""

from dataclasses import replace
from typing import Any

import streamlit as st

from model import MAX_TOKENS
from model.calculator import MAX_SIZE, PRESETS, CalculatorSettings
from model.calculator.mistakes import MISTAKE_NAMES
from model.calculator.practice.exercise import LEVELS, QUESTIONS
from model.calculator.presets import Preset
from model.calculator.scaling import MAX_KEYS, MAX_SEED, MIN_KEYS, SIZES
from pages.calculator.grid_text import GridCells, read_cells, read_names, write_cells, write_names
from pages.calculator.selection import Selection
from web.language import N_
from web.translators import DEFAULT, read_forced, read_translator, write_forced
from web.view_state import field
from web.view_state.address import Parameters
from web.view_state.field import MAX_INDEX, Condition, Field, Fields, read_pairs, write_pairs
from web.view_state.parameters import View

MATRICES = {
    "q": "Q",
    "k": "K",
    "v": "V",
    "x": "X",
    "wq": "W_Q",
    "wk": "W_K",
    "wv": "W_V",
    "wo": "W_O",
}
"""The fields of the typed matrices."""


def _grid(cells: GridCells, when: Condition, key: str = "") -> Field[GridCells]:
    return Field("", cells, read_cells, write_cells, when=when, key=key)


def _grids(given: Preset, when: Condition) -> list[Field[GridCells]]:
    """The fields of a form's matrices, with an example's numbers."""
    known = [given.cells[matrix] for matrix in MATRICES.values() if matrix in given.cells]
    return [_grid([list(row) for row in cells], when) for cells in known]


class Calculator(Fields):
    """The part or view, and in each what is calculated and how it is shown."""

    mode = field.part(
        N_("Part"),
        {
            "own": N_("Your numbers"),
            "head": N_("A real head"),
            "practice": N_("Practice"),
            "spread": N_("Why √dₖ"),
            "norms": N_("Norms"),
        },
    )
    _own, _real, _settled = mode.among("own"), mode.among("head"), mode.among("own", "head")
    stack = field.box(
        N_("Model"),
        {
            "encoder": N_("A model that reads"),
            "source": N_("A translator: its encoder"),
            "decoder": N_("A translator: its decoder"),
            "cross": N_("A translator: cross-attention"),
        },
        when=_real,
        key="layer_stack",
        hidden=True,
        width=220,
    )
    _reads = stack.among("encoder", where=_real)
    _translates = stack.among("source", "decoder", "cross", where=_real)
    form = field.choice(
        N_("Start from"), {"qkv": "Q, K, V", "x": N_("X and weight matrices")}, when=_own
    )
    _plain, _weighted = form.among("qkv", where=_own), form.among("x", where=_own)
    story = field.choice("", ("", *PRESETS), when=_own)
    q, k, v = _grids(PRESETS["exercise"], _plain)
    x, wq, wk, wv, wo = _grids(PRESETS["heads"], _weighted)
    tokens = Field("", list(PRESETS["exercise"].queries), read_names, write_names, when=_own)
    sources = Field[list[str]]("", [], read_names, write_names, when=_plain)
    heads = field.number(N_("Heads"), 2, (1, MAX_SIZE), when=_weighted, width=120)
    followed = field.choice(N_("Follow head"), range(MAX_INDEX + 1), 0, when=_weighted)
    text, pair = replace(View.text, when=_reads), replace(View.pair, when=_reads)
    layer, head = replace(View.layer, when=_real), replace(View.head, when=_real)
    # Not Explore's left side: the Calculator may show a head of its right side.
    left = field.name(N_("Model"), "minilm", always=True, when=_reads, key="studied")
    first = field.slider(
        N_("First token drawn ({shown} of {count} fit)"),
        0,
        (0, MAX_INDEX),
        when=_real,
    )
    translator = field.name(
        N_("Translator"),
        "phrases",
        read_translator,
        when=_translates,
        key="layer_translator",
        hidden=True,
        width=190,
    )
    source = field.text(
        N_("Text to translate"),
        DEFAULT["phrases"],
        when=_translates,
        key="layer_source",
        hidden=True,
    )
    forced = Field[Any]("", [], read_forced, write_forced, when=_translates, key="layer_forced")
    scaled = field.flag(N_("Divide by √dₖ"), True, when=_settled)
    temperature = field.number(
        N_("Temperature"),
        1.0,
        (0.0, 1e6),
        step=0.5,
        when=_settled,
        width=130,
        help=N_(
            "The scores are divided by it before the softmax. Above 1, the result is more equal."
        ),
    )
    mask: Field[Any] = field.choice(
        N_("Mask"),
        {
            "none": N_("No mask"),
            "causal": N_("Causal mask"),
            "padding": N_("Padding mask"),
            "custom": N_("Drawn mask"),
        },
        when=_settled,
    )
    padding = field.number(N_("Padding keys at the end"), 1, (0, MAX_TOKENS), when=_settled)
    hidden = Field[list[tuple[int, int]]]("", [], read_pairs, write_pairs, when=_settled)
    mistake = field.box(
        N_("Classic mistakes"),
        {"none": N_("Classic mistakes"), **MISTAKE_NAMES},
        when=_settled,
        hidden=True,
        width=230,
    )
    look = Field("", Selection(), Selection.read, Selection.write, when=_settled)
    decimals = field.choice(
        N_("Decimals"), (2, 3, 4, 5, 6), 4, when=mode.among("own", "head", "practice")
    )
    _practice = mode.among("practice")
    level = field.choice(N_("Level"), LEVELS, 1, when=_practice, always=True)
    seed = field.number(
        N_("Set"),
        1,
        (0, 9_999),
        when=_practice,
        always=True,
        width=130,
        help=N_("The same number gives the same result to everybody."),
    )
    exercise = field.choice(N_("Exercise"), range(5), 0, when=_practice)
    ask = field.choice(
        N_("Question"),
        QUESTIONS,
        "weights",
        when=_practice,
        aliases={"scores": "scaled_scores", "output": "context"},
    )
    reveal = field.flag(
        N_("Allow “Show the answer”"),
        True,
        when=_practice,
        help=N_("Turn it off and copy the link. A class that opens it cannot see the answers."),
    )
    _spread = mode.among("spread")
    d_k = field.choice("$d_k$", SIZES, 64, when=_spread, widget=st.select_slider, width=420)
    keys = field.slider(N_("Keys"), 16, (MIN_KEYS, MAX_KEYS), when=_spread, width=220)
    spread_seed = field.number(
        N_("Seed"),
        0,
        (0, MAX_SEED),
        when=_spread,
        width=160,
        help=N_("The same number gives the same result to everybody."),
    )
    _norms = mode.among("norms")
    sentence_a = _grid(
        [["1", "2", "0", "5"], ["3", "-1", "2", "0"], ["0.5", "0", "4", "-2"]], _norms, "norm_a"
    )
    sentence_b = _grid(
        [["2", "1", "1", "8"], ["-3", "0", "6", "1"], ["0", "0", "0", "0"]], _norms, "norm_b"
    )


def parameters() -> Parameters:
    """The fields, with the default mode of the link.

    A link from another page has ``text, left, layer, head`` and no mode: it opens that head.
    """
    fields = Calculator.fields
    if "mode" in st.query_params or not {"text", "left", "layer", "head"} & {*st.query_params}:
        return fields
    return {**fields, "mode": replace(Calculator.mode, default="head")}


def settings() -> CalculatorSettings:
    """The session's scaling and mask."""
    return CalculatorSettings(
        scaled=Calculator.scaled.value,
        temperature=float(Calculator.temperature.value),
        mask=Calculator.mask.value,
        padding=int(Calculator.padding.value),
        hidden=frozenset((query, key) for query, key in Calculator.hidden.value),
    )
