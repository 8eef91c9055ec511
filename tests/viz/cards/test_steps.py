import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model.calculator.matrices import head_matrices
from model.calculator.steps import from_projections, from_qkv
from viz.cards.card import Scale
from viz.cards.matrices import MatrixNames, Window
from viz.cards.payload import steps_payload
from viz.cards.steps import attention_steps, with_mistake
from viz.style.formula import mathml

TQ, TK, K, KV = 3, 4, 2, 5  # all different, so that a swapped axis fails
T, D, H, HV, DO = 5, 7, 2, 3, 8  # with projections; a head has d_k = K, d_v = HV
WRONG_KINDS = ("softmax", "softmax_columns", "times")
WRONG_PARTS = ("wrong_maxima", "wrong_exponentials", "wrong_sums")


def softmax_parts(masked, axis=-1):
    maxima = masked.max(axis=axis, keepdims=True)
    exponentials = np.exp(masked - maxima)
    sums = exponentials.sum(axis=axis, keepdims=True)
    return maxima, exponentials, sums, exponentials / sums


def random(*sizes):
    drawn = np.random.default_rng(0)
    return [torch.tensor(drawn.normal(size=size)) for size in sizes]


def one_head(sizes=(TQ, TK, K, KV), divisor=None, allowed=None, bias=None):
    """The matrices of one head, by name."""
    n_queries, n_keys, d_k, d_v = sizes
    allowed = None if allowed is None else torch.tensor(allowed)
    bias = None if bias is None else torch.tensor(bias)
    scale = divisor and 1 / divisor
    vectors = random((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))
    return head_matrices(from_qkv(*vectors, allowed=allowed, scale=scale, bias=bias), 0)


def projected(n_heads=H, head=1, with_w_o=True, d_model=D):
    widths = ((d_model, n_heads * width) for width in (K, K, HV))
    *given, w_o = random((T, d_model), *widths, (n_heads * HV, DO))
    return head_matrices(from_projections(*given, w_o if with_w_o else None, n_heads), head)


def names_of(arrays, head=0, n_heads=1):
    n_queries, n_keys = arrays["raw_scores"].shape
    queries = tuple(f"q{i}" for i in range(n_queries))
    keys = queries if "X" in arrays else tuple(f"k{i}" for i in range(n_keys))
    return MatrixNames(queries, keys, head, n_heads)


def cards_of(arrays, names=None, window=None, scale=None, **named):
    scale = scale or Scale(math.sqrt(arrays["Q"].shape[1]), True, 1.0)
    return attention_steps(arrays, names or names_of(arrays), scale, window, **named)


def mistaken(steps, arrays, names, kind, window=None, symbols=None):
    """The cards with a mistake, as the page adds it."""
    source = arrays["scaled_scores"]
    if kind == "times":
        source = arrays["weights"]
        found = {"source": source, "factor": np.indices(source.shape).sum(0) % 2 * 2.0}
        found["wrong_weights"] = source * found["factor"]
    else:
        parts = softmax_parts(source, -2 if kind == "softmax_columns" else -1)
        found = {"source": source, **dict(zip((*WRONG_PARTS, "wrong_weights"), parts, strict=True))}
    found["wrong_context"] = found["wrong_weights"] @ arrays["V"]
    texts = {"title": "Mistake", "formula": "A", "notes": ["so"]}
    return with_mistake(steps, found, names, **texts, kind=kind, symbols=symbols, window=window)


def card(steps, which):
    (found,) = [card for card in steps.cards if card.id == which]
    return found


def several(n_heads, head, with_w_o):
    arrays = projected(n_heads, head, with_w_o)
    return cards_of(arrays, names_of(arrays, head, n_heads), begin=True)  # no card for Q, K and V


def with_kind(kind):
    arrays = one_head()
    return mistaken(cards_of(arrays), arrays, names_of(arrays), kind)


REAL = cards_of(one_head(), begin=True)
PROJECTED, HEADS = several(1, 0, with_w_o=False), several(H, 1, with_w_o=True)
MIDDLE = ["raw_scores", "scale", "mask", "softmax", "context"]
SITUATIONS = [  # cards, and their names
    (REAL, ["given", *MIDDLE]),
    (PROJECTED, ["project", *MIDDLE]),
    (several(1, 0, with_w_o=True), ["project", *MIDDLE, "project_out"]),
    (HEADS, ["project", *MIDDLE, "concat", "project_out"]),
    *((with_kind(kind), [*MIDDLE, "mistake"]) for kind in WRONG_KINDS),
]
ALLOWED = np.array([[1, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], dtype=bool)


def test_a_mistake_has_its_texts_and_symbol_and_does_not_change_the_right_steps():
    arrays = one_head()
    names, right = names_of(arrays), cards_of(arrays)
    before = dict(right.matrices)
    times = mistaken(right, arrays, names, "times")
    last = times.cards[-1]
    assert (last.title, last.formula, last.notes) == ("Mistake", "A", ("so",))
    assert times.cards[:-1] == right.cards and right.matrices == before
    assert times.matrices["source"].latex == "A"
    for symbols, symbol in (({}, "S''"), ({"source": "B"}, "B")):
        softmax = mistaken(right, arrays, names, "softmax", symbols=symbols)
        assert softmax.matrices["source"].latex == symbol


@pytest.mark.parametrize(
    ("scale", "divided"),
    [
        (Scale(3 * math.sqrt(2), True, 3.0), r"(\tau \sqrt{d_k} = 4.2426)"),
        (Scale(math.sqrt(2), True, 1.0, decimals=2), r"(\sqrt{d_k} = \sqrt{2} = 1.41)"),
        (Scale(0.5, False, 0.5), r"(\tau = 0.5)"),
    ],
)
def test_the_scale_card_states_the_divisor_and_its_reason(scale, divided):
    step = card(cards_of(one_head(divisor=scale.divisor), scale=scale), "scale")
    assert divided in step.formula
    assert step.formula.endswith(f"{step.lines[0].items[1][2:-2]})")
    assert ("switched off" in step.notes[0]) is not scale.scaled


def test_the_scale_card_has_a_models_own_divisor_and_bias():
    bias = np.random.default_rng(4).normal(size=(TQ, TK))
    steps = cards_of(one_head(divisor=1.0, bias=bias), scale=Scale(4.0, True, 4.0, own=True))
    step = card(steps, "scale")
    assert r"\div (\tau = 4) + " in step.formula and rf"{TQ} \times {TK}}}{{B}}" in step.formula
    assert step.lines[0].items == ("raw_scores", "÷ 4 +", "bias", "=", "scaled_scores")
    assert "own divisor, 1, not with √dₖ" in step.notes[0]
    np.testing.assert_array_equal(steps_payload(steps)["matrices"]["bias"]["values"], bias)


def test_notes_count_hidden_pairs_and_report_an_overflow():
    hidden = card(cards_of(one_head(allowed=ALLOWED)), "mask").notes
    assert hidden == ("3 of 12 pairs are hidden: −∞ here, exactly 0 after the softmax.",)
    assert card(REAL, "mask").notes == ("Nothing is hidden.",)
    for largest, beyond in ((709.7, False), (709.8, True)):  # e^709.78 is the largest number
        arrays = one_head(divisor=1.0) | {"maxima": np.array([[1.0], [largest], [2.0]])}
        notes = card(cards_of(arrays), "softmax").notes
        overflow = f"Here the largest score is {largest:g}, and e^{largest:g} is larger than any"
        assert notes[-1].startswith(overflow) is beyond


def test_cards_state_the_columns_of_the_followed_head():
    assert HEADS.head == steps_payload(HEADS)["head"] == 1
    note = card(HEADS, "project").notes[0]
    assert note.startswith("The 4 columns are 2 heads of 2.")
    assert note.endswith("show head 1: columns 2 to 3 of Q and K.")
    note = card(HEADS, "concat").notes[0]
    assert note.startswith("The contexts of all 2 heads side by side. Columns 3 to 5 belong to")
    assert not card(PROJECTED, "project").notes


def values_of(payload, name):
    found = payload["matrices"][name]["values"]
    return np.array([[float(x) for x in row] for row in found])


def recomputed(payload, line):
    """A line's result from its other matrices, as in the arithmetic of spell.js."""
    items, kind = line["items"], line["kind"]
    left = values_of(payload, items[0])
    if kind == "product":
        return left @ values_of(payload, items[2])
    if kind == "divide":
        return left / payload["divisor"]
    if kind == "mask":
        return np.where(values_of(payload, "allowed") == 1, left, -np.inf)
    if kind == "times":
        return left * values_of(payload, items[2])
    if kind == "softmax_columns":  # over all queries; the payload has only the result's drawn rows
        start, drawn = payload["offset"], len(values_of(payload, items[-1]))
        return softmax_parts(left, -2)[-1][start : start + drawn]
    return softmax_parts(left)[-1]


def check_every_line(steps):
    """Each line is an equation that holds, and the payload has every part of its softmax."""
    payload = steps_payload(steps)
    for line in (line for card in payload["cards"] for line in card["lines"]):
        if line["kind"] in ("given", "join"):
            continue
        result = values_of(payload, line["items"][-1])
        np.testing.assert_allclose(recomputed(payload, line), result, atol=1e-12, err_msg=str(line))
        axis = -2 if line["kind"] == "softmax_columns" else -1
        parts = softmax_parts(values_of(payload, line["items"][0]), axis) if line["parts"] else ()
        for name, part in zip(line["parts"], parts, strict=False):  # the last part is the result
            np.testing.assert_allclose(values_of(payload, name), part, atol=1e-14, err_msg=name)
    return payload


@pytest.mark.parametrize(("steps", "names"), SITUATIONS, ids=range(len(SITUATIONS)))
def test_the_payload_has_exact_numbers_that_fulfil_every_line_and_formulas_as_mathml(steps, names):
    payload = check_every_line(steps)
    assert [card["id"] for card in payload["cards"]] == names
    assert [card["notes"] for card in payload["cards"]] == [card.notes for card in steps.cards]
    assert payload["matrices"].keys() == steps.matrices.keys()
    for name, matrix in steps.matrices.items():
        sent = payload["matrices"][name]
        assert (sent["label"], sent["boolean"]) == (name, name == "allowed")
        assert (sent["rows"], sent["columns"]) == (matrix.rows, matrix.columns)
        assert sent["values"] == matrix.values.tolist()
    drawn = [card["formula"] for card in payload["cards"]]
    for formula in (*drawn, *(matrix["symbol"] for matrix in payload["matrices"].values())):
        assert formula.startswith("<math") and formula.endswith("</math>")
        assert "\\" not in formula and "<merror" not in formula  # the converter knows every command
    assert drawn[0] == mathml(steps.cards[0].formula)


def test_minus_infinity_and_nan_are_strings_in_the_payload():
    arrays = one_head(allowed=ALLOWED)
    arrays["weights"] = np.array([[0.25] * TK, [np.nan] * TK, [np.nan] * TK])
    payload = steps_payload(cards_of(arrays))
    sent = json.loads(json.dumps(payload, allow_nan=False))["matrices"]
    scaled = arrays["scaled_scores"][0]
    assert sent["masked_scores"]["values"][0] == [scaled[0], "-inf", scaled[2], scaled[3]]
    assert sent["weights"]["values"] == [[0.25] * 4, ["nan"] * 4, ["nan"] * 4]
    assert sent["allowed"]["values"] == ALLOWED.tolist()


@given(
    st.tuples(*[st.integers(1, 12)] * 4),
    st.builds(Window, st.integers(0, 15), st.integers(1, 6), st.integers(1, 6)),
    st.sampled_from(WRONG_KINDS),
)
def test_drawn_cells_follow_from_the_payload(sizes, window, kind):
    """A large calculation is cut, but not along an axis of a sum."""
    allowed = np.tri(sizes[0], sizes[1], 3, dtype=bool)
    arrays = one_head(sizes, allowed=allowed)
    names = names_of(arrays)
    steps = mistaken(cards_of(arrays, names, window, begin=True), arrays, names, kind, window)
    check_every_line(steps)
    for name, whole in (*arrays.items(), ("K_T", arrays["K"].T)):
        matrix = steps.matrices[name]
        assert matrix.values.shape == (len(matrix.rows), len(matrix.columns))
        assert len(matrix.rows) + matrix.more_rows == whole.shape[0]
        assert len(matrix.columns) + matrix.more_columns == whole.shape[1]
        (start, stop), (left, right) = matrix.shown_rows, matrix.shown_columns
        assert 0 <= start < stop <= len(matrix.rows) and 0 <= left < right <= len(matrix.columns)


def test_a_window_cuts_matrices_to_the_numbers_that_drawn_cells_need():
    """Tokens 2 to 5, dimensions 0 to 2, of 7 queries, 9 keys, d_k = 6 and d_v = 5."""
    arrays = one_head((7, 9, 6, 5))
    steps = cards_of(arrays, window=Window(start=2, tokens=4, dims=3), begin=True)
    pairs = ((4, 9), (0, 4), (2, 6), 3, 0)  # all keys, because softmax and context sum over them
    each = ((4, 1), (0, 4), (0, 1), 3, 0)
    scores = ("raw_scores", "scaled_scores", "allowed", "masked_scores", "exponentials", "weights")
    expected = {  # shape in the payload, drawn rows, drawn columns, more rows, more columns
        "Q": ((4, 6), (0, 4), (0, 3), 3, 0),
        "K": ((9, 6), (2, 6), (0, 3), 0, 0),
        "K_T": ((6, 9), (0, 3), (2, 6), 0, 0),
        "V": ((9, 3), (2, 6), (0, 3), 0, 2),
        "context": ((4, 3), (0, 4), (0, 3), 3, 2),
        **dict.fromkeys(("maxima", "row_sums"), each),
        **dict.fromkeys(scores, pairs),
    }
    assert steps.matrices.keys() == expected.keys()
    payload = steps_payload(steps)
    assert (payload["offset"], payload["divisor"]) == (2, math.sqrt(6))
    wide = projected(head=0, d_model=12)
    check_every_line(cards_of(wide, names_of(wide, 0, H), Window(dims=4)))
    for name, (shape, rows, columns, more_rows, more_columns) in expected.items():
        sent = payload["matrices"][name]
        assert steps.matrices[name].values.shape == shape, name
        assert (sent["shownRows"], sent["shownColumns"]) == (rows, columns), name
        assert (sent["moreRows"], sent["moreColumns"]) == (more_rows, more_columns), name
    k_t = steps.matrices["K_T"]
    assert (k_t.rows, k_t.columns) == (tuple("012345"), tuple(f"k{i}" for i in range(9)))
    np.testing.assert_array_equal(steps.matrices["raw_scores"].values, arrays["raw_scores"][2:6])
    np.testing.assert_array_equal(steps.matrices["context"].values, arrays["context"][2:6, :3])
    np.testing.assert_array_equal(steps.matrices["V"].values, arrays["V"][:, :3])
    for window, start, stop in ((Window(5, 4), 3, 7), (Window(3, 99), 0, 7)):  # at the last token
        steps = cards_of(arrays, window=window)
        assert steps.offset == start
        assert steps.matrices["raw_scores"].rows == tuple(f"q{i}" for i in range(start, stop))


def test_a_softmax_over_the_wrong_axis_needs_all_queries_and_other_mistakes_the_drawn_ones():
    arrays, window = one_head((7, 9, 6, 5)), Window(start=2, tokens=4, dims=3)
    names = names_of(arrays)
    right = cards_of(arrays, names, window)
    drawn = (names.queries[2:6], (0, 4), 3)
    found = {kind: mistaken(right, arrays, names, kind, window) for kind in WRONG_KINDS}
    for kind, steps in found.items():
        check_every_line(steps)
        source, wrong = steps.matrices["source"], steps.matrices["wrong_weights"]
        expected = (names.queries, (2, 6), 0) if kind == "softmax_columns" else drawn
        assert (source.rows, source.shown_rows, source.more_rows) == expected
        assert (wrong.rows, wrong.shown_rows, wrong.more_rows) == drawn
    sums = found["softmax_columns"].matrices["wrong_sums"]
    assert (sums.values.shape, sums.columns, sums.rows) == ((1, 9), names.keys, ("",))
