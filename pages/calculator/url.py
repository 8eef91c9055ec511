"""URL parameters of the Calculator: typed matrices, a real head, or exercises."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from model.calculator import MAX_SIZE, MISTAKES, PRESETS, Settings
from model.calculator.practice.exercise import MAX_SEED, QUESTIONS
from model.calculator.scaling import SIZES
from pages.calculator.grid_text import read_cells, read_names, write_cells, write_names
from pages.calculator.selection import Selection
from web.subject import STACKS
from web.translators import DEFAULT, read_forced, read_translator, write_forced
from web.view_state.address import Parameter, Parameters, holds
from web.view_state.parameters import (
    VIEW,
    between,
    one_of,
    read_flag,
    read_index,
    read_pairs,
    read_text,
    whole_between,
    write_flag,
    write_pairs,
    write_text,
)

MODES = ("own", "head", "practice", "spread", "norms")
MASKS = ("none", "causal", "padding", "custom")
DECIMALS = (2, 3, 4, 5, 6)

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
"""URL parameters of the typed matrices."""


def _one_size(text: str) -> int:
    if int(text) not in SIZES:
        raise ValueError(text)
    return int(text)


def _read_question(text: str) -> str:
    old = {"scores": "scaled_scores", "output": "context"}  # names in old links
    return one_of(*QUESTIONS)(old.get(text, text))


def _own(form: str) -> Callable[[], bool]:
    return lambda: st.session_state["mode"] == "own" and st.session_state["form"] == form


def _matrices() -> dict[str, Parameter]:
    given = {"qkv": PRESETS["exercise"].cells, "x": PRESETS["heads"].cells}
    return {
        name: Parameter(
            [list(row) for row in given[form][matrix]],
            read_cells,
            write_cells,
            relevant=_own(form),
        )
        for form in given
        for name, matrix in MATRICES.items()
        if matrix in given[form]
    }


_SETTLED = holds("mode", "own", "head")
_REAL = holds("mode", "head")


def _reads() -> bool:
    """Whether the view shows an encoder, not a translator."""
    return _REAL() and st.session_state["layer_stack"] == "encoder"


def _translates() -> bool:
    return _REAL() and st.session_state["layer_stack"] != "encoder"


_NORMS = holds("mode", "norms")

NORMS = {
    "sentence_a": Parameter(
        [["1", "2", "0", "5"], ["3", "-1", "2", "0"], ["0.5", "0", "4", "-2"]],
        read_cells,
        write_cells,
        relevant=_NORMS,
        key="norm_a",
    ),
    "sentence_b": Parameter(
        [["2", "1", "1", "8"], ["-3", "0", "6", "1"], ["0", "0", "0", "0"]],
        read_cells,
        write_cells,
        relevant=_NORMS,
        key="norm_b",
    ),
}
"""A batch of two sentences."""

PARAMETERS: dict[str, Parameter] = {
    "mode": Parameter("own", one_of(*MODES), always=True),
    "stack": Parameter("encoder", one_of(*STACKS), relevant=_REAL, key="layer_stack"),
    "form": Parameter("qkv", one_of("qkv", "x"), relevant=holds("mode", "own")),
    "story": Parameter("", one_of("", *PRESETS), relevant=holds("mode", "own")),
    **_matrices(),
    "tokens": Parameter(
        list(PRESETS["exercise"].queries), read_names, write_names, relevant=holds("mode", "own")
    ),
    "sources": Parameter([], read_names, write_names, relevant=_own("qkv")),
    "heads": Parameter(2, whole_between(1, MAX_SIZE), relevant=_own("x")),
    "followed": Parameter(0, read_index, relevant=_own("x")),
    **{name: replace(VIEW[name], relevant=_reads) for name in ("text", "pair")},
    **{name: replace(VIEW[name], relevant=_REAL) for name in ("layer", "head")},
    # Not Explore's left side: the Calculator may show a head of its right side.
    "left": replace(VIEW["left"], relevant=_reads, key="studied"),
    "first": Parameter(0, read_index, relevant=_REAL),
    "translator": Parameter(
        "phrases", read_translator, relevant=_translates, key="layer_translator"
    ),
    "source": Parameter(
        DEFAULT["phrases"], read_text, write_text, relevant=_translates, key="layer_source"
    ),
    "forced": Parameter([], read_forced, write_forced, relevant=_translates, key="layer_forced"),
    "scaled": Parameter(True, read_flag, write_flag, relevant=_SETTLED),
    "temperature": Parameter(1.0, between(0, 1e6), "{:g}".format, relevant=_SETTLED),
    "mask": Parameter("none", one_of(*MASKS), relevant=_SETTLED),
    "padding": Parameter(1, read_index, relevant=_SETTLED),
    "hidden": Parameter([], read_pairs, write_pairs, relevant=_SETTLED),
    "mistake": Parameter(
        "none",
        one_of("none", *MISTAKES),
        relevant=_SETTLED,
    ),
    "look": Parameter(Selection(), Selection.read, Selection.write, relevant=_SETTLED),
    "decimals": Parameter(
        4, whole_between(2, 6), relevant=holds("mode", "own", "head", "practice")
    ),
    "level": Parameter(1, whole_between(1, 3), relevant=holds("mode", "practice"), always=True),
    "seed": Parameter(1, whole_between(0, 9_999), relevant=holds("mode", "practice"), always=True),
    "exercise": Parameter(0, whole_between(0, 4), relevant=holds("mode", "practice")),
    "ask": Parameter("weights", _read_question, relevant=holds("mode", "practice")),
    "reveal": Parameter(True, read_flag, write_flag, relevant=holds("mode", "practice")),
    "d_k": Parameter(64, _one_size, relevant=holds("mode", "spread")),
    "keys": Parameter(16, whole_between(2, 64), relevant=holds("mode", "spread")),
    "spread_seed": Parameter(0, whole_between(0, MAX_SEED), relevant=holds("mode", "spread")),
    **NORMS,
}
"""Mode and form come first: they decide which of the others are relevant."""


def parameters() -> Parameters:
    """The parameters, with the default mode of the link.

    A link from another page has ``text, left, layer, head`` and no mode: it opens that head.
    """
    if "mode" in st.query_params or not {"text", "left", "layer", "head"} & {*st.query_params}:
        return PARAMETERS
    return {**PARAMETERS, "mode": replace(PARAMETERS["mode"], default="head")}


def settings() -> Settings:
    """The session's scaling and mask."""
    state = st.session_state
    return Settings(
        scaled=state["scaled"],
        temperature=float(state["temperature"]),
        mask=state["mask"],
        padding=int(state["padding"]),
        hidden=frozenset((query, key) for query, key in state["hidden"]),
    )
