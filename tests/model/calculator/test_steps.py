import math
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention as torchs_attention
from torch.testing import assert_close

from model.calculator import (
    PRESETS,
    CalculatorSettings,
    CellAddress,
    CellError,
    from_projections,
    from_qkv,
    numbers,
)
from tests.model.calculator.tensors import drawn, matrix

TQ, TK, K, KV = 3, 4, 2, 5  # all different, so that a swapped axis fails


def refused(work, *arguments, **named):
    """The error of a calculation."""
    with pytest.raises(CellError) as caught:
        work(*arguments, **named)
    return caught.value


@pytest.mark.parametrize("text", ["x", "1_000", "٣", "−", "0x10", "{text}", "1 2", "nan", "1e999"])
def test_text_without_a_finite_number_is_quoted_with_its_cell(text):
    error = refused(numbers, "V", [["1"], [text], ["x"]])
    assert error.place == CellAddress("V", 1, 0)
    assert str(error) == f"“{text}” is not a number, or too large. Write one such as 0.5 or −2."


def test_empty_cells_long_texts_and_numbers_with_two_readings_have_their_own_errors():
    error = refused(numbers, "K", [["1", "2", "3"], ["4", "5", "\u00a0"]])
    assert error.place == CellAddress("K", 1, 2)
    assert "is empty" in str(error)
    assert f"“{'x' * 40}”" in str(refused(numbers, "Q", [["1", "x" * 99]]))
    error = refused(numbers, "V", [["1,000"]])
    assert str(error) == "“1,000” can be 1000 or 1. Write it without a comma."
    read = numbers("V", [["1,000,000", "\u00a050 %\t", "−1,5e−3", "5.", "1e-999"]])
    assert read.dtype == torch.float64
    assert read.tolist() == [[1e6, 0.5, -0.0015, 5, 0]]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([], "W_Q has no rows"),
        ([[], []], "W_Q has no columns"),
        ([[], ["3"]], "rows of W_Q have different lengths"),
        ([["x"] * 2] * 9, "W_Q is 9 x 2. The calculator accepts up to 8 x 8"),
        ([["1"] * 9] * 3, "W_Q is 3 x 9."),
    ],
)
def test_an_invalid_grid_is_an_error_of_the_matrix(cells, words):
    error = refused(numbers, "W_Q", cells)
    assert words in str(error)
    assert error.place == CellAddress("W_Q")
    assert numbers("W_Q", [["1"] * 8] * 8).shape == (8, 8)


def allowed_pairs(settings, n_queries, n_keys):
    """The mask, computed pair by pair."""
    sees = {
        "none": lambda query, key: True,
        "causal": lambda query, key: key <= query,
        "padding": lambda query, key: key < n_keys - settings.padding,
        "custom": lambda query, key: (query, key) not in settings.hidden,
    }[settings.mask]
    return torch.tensor([[sees(i, j) for j in range(n_keys)] for i in range(n_queries)])


@st.composite
def settings_of(draw, n_queries, n_keys):
    """Settings that leave each query at least one key."""
    pairs = st.tuples(st.integers(0, n_queries - 1), st.integers(1, max(n_keys - 1, 1)))
    return CalculatorSettings(
        scaled=draw(st.booleans()),
        temperature=draw(st.floats(0.5, 20)),
        mask=draw(st.sampled_from(["none", "causal", "padding", "custom"])),
        padding=draw(st.integers(0, n_keys - 1)),
        hidden=draw(st.frozensets(pairs, max_size=6)) if n_keys > 1 else frozenset(),
    )


@given(st.data(), st.tuples(*[st.integers(1, 6)] * 4), st.integers(0, 9999))
def test_one_head_equals_torch_attention(data, sizes, seed):
    n_queries, n_keys, d_k, d_v = sizes
    settings = data.draw(settings_of(n_queries, n_keys))
    q, k, v = drawn((n_queries, d_k), (n_keys, d_k), (n_keys, d_v), seed=seed)
    scale = 1 / (settings.temperature * (d_k**0.5 if settings.scaled else 1))
    allowed = allowed_pairs(settings, n_queries, n_keys)
    expected = torchs_attention(q[None], k[None], v[None], allowed, scale=scale)[0]
    calculation = from_qkv(q, k, v, settings)
    assert_close(calculation.output, expected, atol=1e-12, rtol=1e-12)
    steps, exponentials = calculation.steps, calculation.exponentials
    assert_close(exponentials / calculation.row_sums[..., None], steps.weights)
    assert_close(exponentials.sum(-1), calculation.row_sums)
    assert (exponentials.amax(-1) == 1).all()
    assert_close(steps.raw_scores, calculation.q @ calculation.k.mT)
    assert_close(steps.scaled_scores * calculation.divisor, steps.raw_scores)
    hidden = steps.scaled_scores.masked_fill(~allowed, -math.inf)
    assert torch.equal(steps.masked_scores, hidden)
    assert ((exponentials == 0) == ~allowed).all() and ((steps.weights == 0) == ~allowed).all()
    if settings.mask == "none":
        assert calculation.allowed is None
    else:
        assert torch.equal(calculation.allowed, allowed)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(2, 6), st.booleans(), st.integers(0, 9999))
def test_several_heads_equal_the_torch_module(n_heads, d_k, n_tokens, causal, seed):
    width = n_heads * d_k
    theirs = torch.nn.MultiheadAttention(width, n_heads, bias=False, dtype=torch.float64)
    (x, *weights) = drawn((n_tokens, width), *[(width, width)] * 4, seed=seed)
    w_q, w_k, w_v, w_o = weights
    with torch.no_grad():  # torch stores the transposed weights
        theirs.in_proj_weight.copy_(torch.cat([w_q.T, w_k.T, w_v.T]))
        theirs.out_proj.weight.copy_(w_o.T)
    hidden = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)  # True: NOT allowed there
    with torch.no_grad():
        expected, expected_weights = theirs(
            x, x, x, attn_mask=hidden if causal else None, average_attn_weights=False
        )
    settings = CalculatorSettings(mask="causal" if causal else "none")
    calculation = from_projections(x, w_q, w_k, w_v, w_o, n_heads, settings)
    assert_close(calculation.output, expected, atol=1e-11, rtol=1e-11)
    assert_close(calculation.steps.weights, expected_weights, atol=1e-11, rtol=1e-11)


T, D, H, DO = 5, 7, 3, 6
SHAPES = ((T, D), (D, H * K), (D, H * K), (D, H * 4), (H * 4, DO))  # d_v of a head is 4


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, 1e-310, 1e308])
def test_a_divisor_that_is_not_positive_and_finite_is_an_error(temperature):
    """1e308 times the root of 9 overflows, and so does 1 divided by 1e-310."""
    q, k, v = drawn((TQ, 9), (TK, 9), (TK, KV), seed=1)
    assert from_qkv(q, k, v, CalculatorSettings(temperature=2.0)).divisor == 6
    error = refused(from_qkv, q, k, v, CalculatorSettings(temperature=temperature))
    assert error.place == CellAddress("scaled_scores")
    assert f"not {temperature:g}." in str(error)


def test_a_custom_mask_hides_its_pairs_and_ignores_pairs_outside_the_grid():
    inside = {(0, 5), (2, 1)}
    outside = {(3, 0), (0, 6), (-1, 0), (1, -1)}  # negative indices do not count from the end
    allowed = CalculatorSettings(mask="custom", hidden=frozenset(inside | outside)).allowed(3, 6)
    assert {tuple(pair) for pair in (~allowed).nonzero().tolist()} == inside


def test_the_error_names_the_first_query_without_keys():
    hidden = frozenset((query, key) for query in (1, 2) for key in range(TK))
    tensors = drawn((TQ, K), (TK, K), (TK, KV), seed=2)
    every = CalculatorSettings(mask="padding", padding=TK + 1)
    for settings, first in ((CalculatorSettings(mask="custom", hidden=hidden), 1), (every, 0)):
        error = refused(from_qkv, *tensors, settings)
        assert error.place == CellAddress("masked_scores", first)
        assert f"hides every key from query {first}" in str(error)


@pytest.mark.parametrize(
    ("changed", "n_heads", "matrix_name", "words"),
    [
        ({"w_v": (5, 12)}, 3, "W_V", "X has 7 columns and W_V has 5 rows"),
        ({"w_k": (7, 9)}, 3, "W_K", "W_Q has 6 columns and W_K has 9"),
        ({"w_v": (7, 10)}, 3, "W_V", "10 columns of W_V do not split into 3 equal heads"),
        ({}, 0, "W_Q", "6 columns of W_Q do not split into 0 equal heads"),
        ({}, 8, "W_Q", "6 columns of W_Q do not split into 8 equal heads"),
        ({"w_o": (11, 6)}, 3, "W_O", "concatenated heads have 12 columns and Wᴼ has 11 rows"),
    ],
)
def test_errors_of_sizes_name_both_sizes(changed, n_heads, matrix_name, words):
    for sizes, name, reason in (
        (((TQ, 3), (TK, 2), (TK, KV)), "K", "Q has 3 columns and K has 2"),
        (((TQ, K), (TK, K), (6, KV)), "V", "K has 4 rows and V has 6"),
        (((TQ, 0), (TK, 0), (TK, KV)), "Q", "Queries and keys need at least one"),
    ):
        error = refused(from_qkv, *drawn(*sizes, seed=3))
        assert reason in str(error) and error.place == CellAddress(name)
    shapes = dict(zip(("x", "w_q", "w_k", "w_v", "w_o"), SHAPES, strict=True)) | changed
    error = refused(from_projections, *drawn(*shapes.values(), seed=3), n_heads)
    assert words in str(error)
    assert error.place == CellAddress(matrix_name)


BIG = 1e308
ONES = matrix([1, 1], [1, 1], [1, 1])


@pytest.mark.parametrize(
    ("q", "k", "temperature", "place", "symbol"),
    [
        (matrix([1, 1], [BIG, 1]), ONES * matrix([1], [1], [10]), 1.0, ("raw_scores", 1, 2), "S"),
        # Two products that overflow, whose difference is nan:
        (matrix([BIG, BIG], [1, 1]), matrix([0.5, 0.5], [10, -10]), 1.0, ("raw_scores", 0, 1), "S"),
        (matrix([1, 1], [1e304, 1]), ONES, 1e-5, ("scaled_scores", 1, 0), "S'"),
    ],
)
def test_an_overflow_of_scores_names_the_cell(q, k, temperature, place, symbol):
    v = ONES[: len(k)]
    error = refused(from_qkv, q, k, v, CalculatorSettings(scaled=False, temperature=temperature))
    assert error.place == CellAddress(*place)
    _, row, column = place
    assert f"Row {row}, column {column} of {symbol} is larger than any 64-bit" in str(error)


@pytest.mark.parametrize("name", ["Q", "K", "V", "output"])
def test_an_overflow_of_a_projection_names_the_cell(name):
    x, w_q, w_k, w_v, w_o = (torch.ones(shape, dtype=torch.float64) for shape in SHAPES)
    factors = {"Q": w_q, "K": w_k, "V": w_v, "output": w_o}
    x[3] = 10
    factors[name][:, 4] = BIG / 10  # times 7 it is finite, times 70 it overflows
    if name == "output":
        w_v *= 10  # makes every row of the heads large
    error = refused(from_projections, x, w_q, w_k, w_v, w_o, H)
    assert error.place == CellAddress(name, 0 if name == "output" else 3, 4)
    symbol = {"output": "Y"}.get(name, name)
    assert f"column 4 of {symbol} is larger than any 64-bit" in str(error)


def test_an_overflow_of_the_context_by_rounding_names_the_cell():
    """Some of 300 rows of weights sum to slightly more than 1, and overflow with large values."""
    q, k = drawn((300, 1), (5, 1), seed=4)
    error = refused(from_qkv, q, k, matrix(*[[1, sys.float_info.max, 0]] * 5))
    assert (error.place.matrix, error.place.column) == ("context", 1)
    assert f"Row {error.place.row}, column 1 of Z is larger than any 64-bit" in str(error)


def test_a_score_of_1e308_is_valid():
    calculation = from_qkv(matrix([BIG], [-BIG]), matrix([1], [-1], [0.5]), torch.eye(3).double())
    assert_close(calculation.steps.weights[0], matrix([1, 0, 0], [0, 1, 0]), atol=0, rtol=0)
    assert_close(calculation.output, matrix([1, 0, 0], [0, 1, 0]), atol=0, rtol=0)


def work_out(name):
    example = PRESETS[name]
    found, settings = {m: numbers(m, cells) for m, cells in example.cells.items()}, example.settings
    if "Q" in found:
        return from_qkv(found["Q"], found["K"], found["V"], settings)
    projections = (found[matrix] for matrix in ("X", "W_Q", "W_K", "W_V"))
    return from_projections(*projections, found.get("W_O"), example.n_heads, settings)


E = math.e


@pytest.mark.parametrize(
    ("name", "scores", "powers"),
    [
        ("exercise", [[1, 0.5], [0, 0.5]], [[E**0.5**0.5, E**0.125**0.5], [1, E**0.125**0.5]]),
        (
            "masking",
            [[2, 0, 2], [1, 2, 0], [1, 2, 4]],
            [[E, 0, 0], [E**0.5, E, 0], [E**0.5, E, E**2]],
        ),
        ("worked", [[2.1, 3.5, 7.2, 5.8]], [[E**0.2625, E**0.4375, E**0.9, E**0.725]]),
        ("library", [[0, 4, 5]], [[1, E ** (4 / 3**0.5), E ** (5 / 3**0.5)]]),
    ],
)
def test_presets_give_the_numbers_worked_by_hand(name, scores, powers):
    steps = work_out(name).steps
    assert_close(steps.raw_scores[0], matrix(*scores))
    weights = matrix(*powers)
    assert_close(steps.weights[0], weights / weights.sum(-1, keepdim=True))


def test_the_saturated_and_the_two_heads_preset_show_what_their_stories_say():
    steps = work_out("saturated").steps
    assert steps.scaled_scores.max() == 800
    assert steps.weights[0].round(decimals=6).tolist() == [[0.5, 0.5, 0], [0, 1, 0], [0, 0.5, 0.5]]
    softened = (steps.raw_scores / 200).softmax(-1)
    assert softened.min() > 0.05 and softened.max() < 0.7
    assert "Set the temperature to 200" in str(PRESETS["saturated"].story)
    calculation = work_out("heads")
    x = matrix([1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1])
    assert_close(calculation.x, x)
    assert_close(calculation.q[0], x[:, :2])
    assert_close(calculation.k[0], x[:, :2])
    assert_close(calculation.q[1], x[:, [3, 2]])  # exchanged
    assert_close(calculation.k[1], x[:, 2:])
    first, second = calculation.steps.context
    # W_O adds half of head 1 to head 0.
    assert_close(calculation.output, torch.cat([first + second / 2, second], dim=1))
