"""The code that a figure's menu prints runs, and gives the numbers of the figure."""

import ast
import inspect
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from model.calculator import MISTAKES
from model.transformer.masks import sliding_window
from model.version import citation
from pages.decoder.mask_spec import pack_mask
from tests.pages.figures import figure
from tests.pages.figures import shown as shown_head
from tests.pages.test_positions import array
from tests.pages.visit import Visit
from web.widgets.view_code import ViewCode

WORDS = {"text": "unbelievable 'quoted' cats", "words": "1", "special": "renormalise"}
PAIR = {"text": "unbelievable cats", "pair": "sat.", "special": "hide"}
KINDS = ("mean", "norm", "head", "rollout", "flow")
SHUFFLED = {"text": "the 'old' cat", "order": "2.0.4.1.3", "layer": "2", "head": "5"}
EFFICIENT = {"part": "masks", "mask": "efficient"}
SCHEMES = ("learned", "relative", "rotary", "alibi")
METHODS = ("window", "global", "low_rank", "features", "hashing")
DRAWN = pack_mask(sliding_window(16 + 2, 3))
MASKS: tuple[dict[str, str], ...] = (
    {"mask": "both", "inverted": "1", "pads": "1"},
    {"mask": "drawn", "cells": DRAWN, "pads": "2"},
    {"mask": "window", "reach": "1"},
)
HEADS_OFF = "head_difference"
DIFFERENCE = {"part": "difference", "against": "sentence", "other": "The other cat sat"}

VIEWS: list[tuple[str, dict[str, str], str, str]] = [
    ("", WORDS, "head", ""),
    ("", PAIR, "head", ""),
    *(("layers", {"kind": kind, "text": "The cat sat"}, "layers", "") for kind in KINDS),
    ("layers", {"right": "scratch", **WORDS}, "layers", ""),
    ("layers", {"kind": "norm", **DIFFERENCE, **PAIR}, "difference", ""),
    ("layers", {**DIFFERENCE, "against": "model", **WORDS}, "difference", ""),
    ("layers", {"part": "stream", **WORDS}, "stream_right", ""),
    ("layers", {"part": "lens"}, "lens", ""),
    ("heads", {"part": "change", "off": "0-1.2-3", "how": "uniform", **WORDS}, HEADS_OFF, ""),
    ("heads", {"part": "tuned", "left": "scratch-minilm"}, HEADS_OFF, ""),
    ("calculator", {"form": "x", "heads": "2", "mask": "causal"}, "calculation", "-"),
    *(("calculator", {"mistake": name}, "calculation", "-") for name in MISTAKES),
    ("calculator", {"mode": "head", "stack": "cross", "forced": "1~bleue"}, "calculation", "-"),
    ("calculator", {"mode": "spread"}, "spread", "-"),
    ("calculator", {"mode": "norms"}, "layer_norm", ""),
    ("calculator", {"mode": "norms"}, "batch_norm", ""),
    ("decoder", {"how": "beam", "stack": "encoder", "layer": "1"}, "stack", "view"),
    ("decoder", {"part": "generate", "tokens": "2"}, "generation", "view"),
    *(("decoder", {"part": "masks", **mask}, "after", "") for mask in MASKS),
    *(("decoder", {**EFFICIENT, "method": name}, "approximate", "") for name in METHODS),
    ("positions", {"length": "30", "d_model": "14", "base": "100"}, "sinusoids", ""),
    *(("positions", {"kind": "schemes"}, name, "") for name in SCHEMES),
    ("positions", {"kind": "shuffle", **SHUFFLED}, "run_1", ""),
]
"""The page, its address, the key of the menu, and that of a figure to compare: "" for the same key,
"view" for a capture view, "-" for a figure whose cells are not the numbers."""


def visit(path: str, address: dict[str, str], opened: str) -> AppTest:
    page = Visit(path)
    page.query_params.update(address)
    page.session_state[opened] = True
    page.run()
    assert not page.exception
    return page


def run(code: str) -> Any:
    """Run the code, and return the value of its last line."""
    *statements, last = ast.parse(code).body
    variables: dict[str, Any] = {}
    exec(compile(ast.Module(statements, []), "code", "exec"), variables)
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "code", "eval"), variables)


def numbers(value: Any) -> np.ndarray:
    """The cells of a heatmap, or the array itself."""
    return np.asarray(value.data[0].z if isinstance(value, go.Figure) else value, dtype=float)


@pytest.mark.parametrize(("path", "address", "key", "chart"), VIEWS)
def test_the_printed_code_gives_the_numbers_of_the_figure(
    path: str, address: dict[str, str], key: str, chart: str
) -> None:
    page = visit(path, address, f"menu_{key}")
    blocks = [block.value for block in page.code]
    (at,) = [i for i, block in enumerate(blocks) if block.startswith(f"# {citation()}\n")]
    code, source = blocks[at : at + 2]
    compile(source, "source", "exec")
    value = run(code)
    if chart == "-":
        return
    if not path or chart == "view" or key == "layers":  # the view has four decimals
        side = "left" if path and key != "layers" else "right"
        head = shown_head(page, side)
        cells = np.where(np.isnan(head), np.nan, numbers(value))
        np.testing.assert_allclose(cells, head, atol=5.1e-5)
        return
    drawn = figure(page, chart or key).spec["data"]
    if "z" in drawn[0]:
        shown = array(drawn[0]["z"]).astype(float)
        cells = numbers(value)
        if path == "positions" and cells.shape != shown.shape:  # only some rows and columns
            cells = cells[np.ix_(*(array(drawn[0][axis]).astype(int) for axis in "yx"))]
        cells = np.where(np.isnan(shown), np.nan, cells)  # masked cells have no number
        np.testing.assert_allclose(cells, shown, atol=1e-5)
    elif path == "positions":
        curve = max((array(each["y"]) for each in drawn), key=len)
        np.testing.assert_allclose(numbers(value), curve, atol=1e-5)
    else:
        curves = [array(curve["y"]) for curve in drawn if "name" in curve]
        np.testing.assert_allclose(numbers(value), curves, atol=1e-5)


def test_the_code_of_a_comparison_states_the_origin_of_both_models() -> None:
    page = visit("layers", {"part": "difference", "against": "model"}, "menu_difference")
    comments = [line for line in page.code[0].value.splitlines() if line.startswith("# ")]
    assert "part=difference" in comments[1]
    for line, name in zip(comments[2:], ("scratch", "minilm"), strict=True):
        assert line.startswith(f"# {name}: ")
        assert load_model(name).origin["weights_sha256"] in line


def test_only_used_names_are_imported() -> None:
    code = ViewCode("model = load_model('rollout')\nnp.ones(2)", inspect.getsource, (load_model,))
    assert code.text.splitlines()[:2] == ["import numpy as np", "from headlight import load_model"]
