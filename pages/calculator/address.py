"""What the Calculator's address carries: small matrices, a real head, or a set of exercises."""

import re
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from model.calculator import MAX_SIZE, MISTAKES, PRESETS, Settings
from model.calculator.exercises import MAX_SEED
from model.calculator.spread import SIZES
from pages.shared.address import Parameter, Parameters
from pages.shared.parameters import (
    VIEW,
    one_of,
    read_flag,
    read_index,
    read_pairs,
    write_flag,
    write_pairs,
    write_text,
)

Cells = list[list[str]]

MODES = ("own", "head", "practice", "spread")
MASKS = ("none", "causal", "padding", "custom")
DECIMALS = (2, 3, 4, 5, 6)
MAX_CELL = 40

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
"""Parameter of the address, and the matrix that it holds."""


def clean(text: str) -> str:
    """A cell's text, without blanks around it and cut at its longest."""
    return text.strip()[:MAX_CELL]


_CODES = {",": "~c", ";": "~s", "|": "~p", "~": "~~"}
"""Commas part cells in the address, semicolons rows, bars names: those typed go otherwise."""


def _escaped(text: str) -> str:
    return "".join(_CODES.get(letter, letter) for letter in text)


def _unescaped(text: str) -> str:
    letters = {code: letter for letter, code in _CODES.items()}
    return re.sub("~[csp~]", lambda found: letters[found[0]], text)


def _read_cells(text: str) -> Cells:
    empty = re.fullmatch("([1-8])x0", text)
    if empty:
        return [[] for _ in range(int(empty[1]))]
    rows = [[clean(_unescaped(cell)) for cell in row.split(",")] for row in text.split(";")]
    if len(rows) > MAX_SIZE or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(text)
    if len(rows[0]) > MAX_SIZE:
        raise ValueError(text)
    return rows


def _write_cells(cells: Cells) -> str:
    if not cells or not cells[0]:
        return f"{len(cells)}x0"
    return ";".join(",".join(map(_escaped, row)) for row in cells)


def _read_names(text: str) -> list[str]:
    return [_unescaped(name)[:24] for name in text.split("|")][:MAX_SIZE] if text else []


def _write_names(names: list[str]) -> str:
    return write_text("|".join(map(_escaped, names)))


def _between(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


def _one_size(text: str) -> int:
    if int(text) not in SIZES:
        raise ValueError(text)
    return int(text)


def _read_look(text: str) -> str:
    if not re.fullmatch(r"[a-z_]{0,20}\|([A-Za-z_]{1,20}\.[0-9]{1,3}\.[0-9]{1,3})?", text):
        raise ValueError(text)
    return text


def _read_temperature(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1e6:
        raise ValueError(text)
    return number


def _in(*modes: str) -> Callable[[], bool]:
    return lambda: st.session_state["mode"] in modes


def _own(form: str) -> Callable[[], bool]:
    return lambda: st.session_state["mode"] == "own" and st.session_state["form"] == form


def _matrices() -> dict[str, Parameter]:
    given = {"qkv": PRESETS["exercise"].cells, "x": PRESETS["heads"].cells}
    return {
        name: Parameter(
            [list(row) for row in given[form][matrix]],
            _read_cells,
            _write_cells,
            relevant=_own(form),
        )
        for form in given
        for name, matrix in MATRICES.items()
        if matrix in given[form]
    }


_SETTLED = _in("own", "head")

PARAMETERS: dict[str, Parameter] = {
    "mode": Parameter("own", one_of(*MODES), always=True),
    "form": Parameter("qkv", one_of("qkv", "x"), relevant=_in("own")),
    **_matrices(),
    "tokens": Parameter(
        list(PRESETS["exercise"].queries), _read_names, _write_names, relevant=_in("own")
    ),
    "sources": Parameter([], _read_names, _write_names, relevant=_own("qkv")),
    "heads": Parameter(2, _between(1, MAX_SIZE), relevant=_own("x")),
    "followed": Parameter(0, read_index, relevant=_own("x")),
    **{
        name: replace(VIEW[name], relevant=_in("head"))
        for name in ("text", "pair", "layer", "head")
    },
    # Not Explore's own left side: a head of its right side may be studied here.
    "left": replace(VIEW["left"], relevant=_in("head"), key="studied"),
    "first": Parameter(0, read_index, relevant=_in("head")),
    "scaled": Parameter(True, read_flag, write_flag, relevant=_SETTLED),
    "temperature": Parameter(1.0, _read_temperature, "{:g}".format, relevant=_SETTLED),
    "mask": Parameter("none", one_of(*MASKS), relevant=_SETTLED),
    "padding": Parameter(1, read_index, relevant=_SETTLED),
    "hidden": Parameter([], read_pairs, write_pairs, relevant=_SETTLED),
    "mistake": Parameter(
        "none",
        one_of("none", *MISTAKES),
        relevant=_SETTLED,
    ),
    "look": Parameter("|", _read_look, relevant=_SETTLED),
    "decimals": Parameter(4, _between(2, 6), relevant=_in("own", "head", "practice")),
    "level": Parameter(1, _between(1, 3), relevant=_in("practice"), always=True),
    "seed": Parameter(1, _between(0, 9_999), relevant=_in("practice"), always=True),
    "exercise": Parameter(0, _between(0, 4), relevant=_in("practice")),
    "ask": Parameter("weights", one_of("scores", "weights", "output"), relevant=_in("practice")),
    "reveal": Parameter(True, read_flag, write_flag, relevant=_in("practice")),
    "d_k": Parameter(64, _one_size, relevant=_in("spread")),
    "keys": Parameter(16, _between(2, 64), relevant=_in("spread")),
    "spread_seed": Parameter(0, _between(0, MAX_SEED), relevant=_in("spread")),
}
"""Mode and form come first: they decide which of the others matter."""


def parameters() -> Parameters:
    """The parameters, with the mode that a link without one means.

    A link from another page says ``text, left, layer, head``; it means that head.
    """
    if "mode" in st.query_params or not {"text", "left", "layer", "head"} & {*st.query_params}:
        return PARAMETERS
    return {**PARAMETERS, "mode": replace(PARAMETERS["mode"], default="head")}


def settings() -> Settings:
    """Scaling and mask as the session has them."""
    state = st.session_state
    return Settings(
        scaled=state["scaled"],
        temperature=float(state["temperature"]),
        mask=state["mask"],
        padding=int(state["padding"]),
        hidden=frozenset((query, key) for query, key in state["hidden"]),
    )
