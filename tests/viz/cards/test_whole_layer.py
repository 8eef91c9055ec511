"""Cards of a whole layer: windows of the matrices, and correct arithmetic."""

import json
import math
import re

import numpy as np
import pytest

from model.calculator.layer_matrices import layer_matrices
from tests.model.calculator.whole_layers import N_SOURCES, N_TOKENS, D, H, pass_through
from viz.cards import arithmetic
from viz.cards.layer_builder import LayerShape
from viz.cards.layer_window import DIMS, LayerNames, LayerWindow
from viz.cards.payload import steps_payload
from viz.cards.whole_layer import layer_steps
from viz.cards.worksheet import worksheet
from viz.style.formula import mathml

TOKENS = tuple(f"t{i}" for i in range(N_TOKENS))
SOURCES = tuple(f"s{i}" for i in range(N_SOURCES))
K = D // H
TOKEN, SOURCE, HEAD = 2, 4, 1


def steps(kind="decoder", norm="post", activation="relu", **window):
    (_, whole), *_ = pass_through(kind, norm, activation)[0]
    arrays = layer_matrices(whole, HEAD)
    layer = LayerShape(tuple(s.part for s in whole.sublayers), whole.pre_norm, H)
    eps = whole.sublayers[0].norm.eps
    at = LayerWindow(TOKEN, SOURCE, HEAD, K, **window)
    names = LayerNames(TOKENS, SOURCES) if kind == "decoder" else LayerNames(SOURCES)
    return layer_steps(arrays, layer, names, at, {}, eps), arrays


def value(row) -> tuple[float, float]:
    """The value of a row's arithmetic, and the result that the row states."""
    written = "".join(
        repr(part)
        if isinstance(part, float)
        else f"({part[0]!r})"
        if isinstance(part, list)
        else repr(part["sum"])
        if isinstance(part, dict)
        else part
        for part in row
    )
    *_, terms, result = written.split("=")
    for sign, meaning in {
        "×": "*", "÷": "/", "−∞": "-inf", "−": "-", "√": "sqrt", "²": "**2", "e^": "exp",
    }.items():  # fmt: skip
        terms, result = terms.replace(sign, meaning), result.replace(sign, meaning)
    known = {"sqrt": math.sqrt, "exp": math.exp, "max": max, "inf": math.inf}
    return eval(terms, known), float(result)  # built above, not user text


KINDS = [
    (kind, norm, activation)
    for kind in ("encoder", "decoder")
    for norm in ("post", "pre")
    for activation in ("relu", "gelu")
]


@pytest.mark.parametrize(("kind", "norm", "activation"), KINDS)
def test_the_arithmetic_of_every_cell_gives_its_value(kind, norm, activation):
    made, _ = steps(kind, norm, activation, dim=3, part=0, unit=5)
    checked_cells = 0
    for name, rows in made.spelled.items():
        matrix = made.matrices[name]
        assert np.array(matrix.values).shape == (len(rows), len(rows[0])), name
        for cell, cell_rows in zip(matrix.values[0], rows[0], strict=True):
            for row in cell_rows:
                if "(" in str(row[-1]) or len(row) == 2:  # a masked score, a copy
                    continue
                found, stated = value(row)
                assert found == pytest.approx(stated, rel=1e-9, abs=1e-12)
            numbers = [part for part in cell_rows[-1] if isinstance(part, float)]
            if cell != -math.inf:
                assert numbers[-1] == cell, name
            checked_cells += 1
    assert checked_cells > 60
    results = {line.result for card in made.cards for line in card.lines if line.kind != "given"}
    assert results == set(made.spelled)


@pytest.mark.parametrize(("kind", "norm", "activation"), KINDS)
def test_drawn_matrices_are_windows_named_by_their_place(kind, norm, activation):
    made, arrays = steps(kind, norm, activation, dim=3, part=0, unit=50)
    drawn = {item for card in made.cards for line in card.lines for item in line.items}
    assert drawn & set(made.matrices) == set(made.matrices)
    for name in ("X", "self_norm", "ffn_output"):
        matrix = made.matrices[name]
        assert matrix.rows == ((TOKENS if kind == "decoder" else SOURCES)[TOKEN],)
        assert matrix.columns == tuple(map(str, range(3, 3 + DIMS)))
        np.testing.assert_array_equal(matrix.values, arrays[name][[TOKEN], 3 : 3 + DIMS])
        assert matrix.more_columns == D - DIMS
    for matrix in made.matrices.values():
        assert matrix.values.shape == (len(matrix.rows), len(matrix.columns))
    unit = made.matrices["ffn_hidden"]  # 50 is beyond the end, so the last units are drawn
    assert unit.columns == tuple(map(str, range(14, 20)))
    own = made.matrices["self_Q"]
    assert own.columns == tuple(map(str, range(HEAD * K, (HEAD + 1) * K)))
    assert (own.more_columns, made.matrices["self_concatenated"].more_columns) == (0, D - K)
    scores = made.matrices["self_scaled_scores"]
    np.testing.assert_array_equal(scores.values[0], arrays["self_scaled_scores"][TOKEN])
    if kind == "decoder":
        assert made.matrices["cross_weights"].columns == SOURCES
        assert made.matrices["cross_K"].rows == (SOURCES[SOURCE],)
        assert made.matrices["cross_Q"].rows == (TOKENS[TOKEN],)
        assert not made.matrices["self_allowed"].values[0, TOKEN + 1 :].any()


def test_cards_follow_the_order_of_the_layer():
    def ids(*kind):
        return [card.id for card in steps(*kind)[0].cards]

    attends = ["project", "compare", "softmax", "mix", "project_out"]
    own, cross = ([f"{part}_{step}" for step in attends] for part in ("self", "cross"))
    fed = ["ffn_widen", "ffn_narrow"]
    assert ids("encoder", "post") == ["enter", *own, "self_add", *fed, "ffn_add"]
    assert ids("decoder", "pre") == [
        *["enter", "self_norm", *own, "self_add"],
        *["cross_norm", *cross, "cross_add"],
        *["ffn_norm", *fed, "ffn_add"],
    ]


def test_the_payload_is_strict_json_and_every_formula_is_mathml():
    for kind in KINDS:
        made, _ = steps(*kind)
        sent = json.loads(json.dumps(steps_payload(made), allow_nan=False))
        assert sent["wide"] and sent["spelled"].keys() == made.spelled.keys()
        for card in made.cards:
            assert mathml(card.formula).startswith("<math")
            assert len(card.id) <= 20 and re.fullmatch("[a-z_]+", card.id)
            for line in card.lines:
                assert re.fullmatch("[A-Za-z_]{1,20}", line.family), "as a link says it"


def test_a_long_sum_prints_its_largest_terms_and_the_rest():
    left, right = np.arange(1.0, 21), np.array([1.0, -1] * 10)
    row = arithmetic.product(left, right, float(left @ right), 0.5)
    assert row[1:4] == [[20.0], " × ", [-1.0]]
    assert row[5:8] == [[19.0], " × ", [1.0]]
    rest = next(part for part in row if isinstance(part, dict))
    assert rest == {"count": 12, "sum": -6.0}
    assert value(row)[0] == pytest.approx(left @ right + 0.5)
    left[3:] = 0  # as after a mask: terms of exactly 0 are omitted
    row = arithmetic.product(left, right, float(left @ right))
    assert [part for part in row if isinstance(part, list)] == [
        [3.0],
        [1.0],
        [2.0],
        [-1.0],
        [1.0],
        [1.0],
    ]
    assert value(row) == (2.0, 2.0)


def test_a_worksheet_without_answers_has_empty_results():
    made, _ = steps("encoder")
    sheet = {
        answers: worksheet(made, title="T", subtitle="S", decimals=4, answers=answers)
        for answers in (True, False)
    }
    given, result = (f"{made.matrices[n].values[0, 0]:.4f}" for n in ("X", "self_output"))
    assert given.replace("-", "−") in sheet[False]
    assert result.replace("-", "−") in sheet[True]
    assert result.replace("-", "−") not in sheet[False]
