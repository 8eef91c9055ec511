"""The NumPy program of a calculation computes the same numbers, and treats names as data."""

import ast
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest
import torch

from model.calculator import PRESETS, Settings, from_projections, from_qkv, numbers
from model.calculator.script import numpy_script

TQ, TK, K, KV = 3, 4, 2, 5
NASTY = (
    "'",
    '"',
    "'''",
    '"""',
    "a\nb",
    "\\",
    "\\'",
    "#",
    "{0}",
    "%s",
    "__import__('os')",
    "'] + [__import__('os').getcwd()] + ['",
    "\u2028\u202e",
    "\x00",
    "🙂é\r",
    "",
)


def run(script):
    """The variables and the output of a program."""
    names, printed = {"__name__": "__main__"}, StringIO()
    with redirect_stdout(printed):
        exec(compile(script, "script.py", "exec"), names)
    return names, printed.getvalue()


def drawn(*shapes, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def same(found, expected):
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-12, rtol=1e-12)


def preset(name):
    example = PRESETS[name]
    found = {matrix: numbers(matrix, cells) for matrix, cells in example.cells.items()}
    if "Q" in found:
        calculation = from_qkv(found["Q"], found["K"], found["V"], example.settings)
    else:
        projections = (found[matrix] for matrix in ("X", "W_Q", "W_K", "W_V"))
        calculation = from_projections(
            *projections, found.get("W_O"), example.n_heads, example.settings
        )
    return calculation, example.queries, example.keys or example.queries


@pytest.mark.parametrize("name", PRESETS)
def test_the_program_of_every_preset_computes_its_output(name):
    calculation, queries, keys = preset(name)
    names, printed = run(numpy_script(calculation, queries, keys))
    same(names["output"], calculation.output)
    same(names["weights"], calculation.steps.weights[-1])  # of the last head
    assert (names["queries"], names["keys"]) == (list(queries), list(keys))
    assert printed.endswith(f"output\n{names['output']}\n")
    assert printed.count("raw scores") == calculation.n_heads


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(scaled=False, temperature=0.3),
        Settings(mask="causal", temperature=7.0),
        Settings(mask="padding", padding=2),
        Settings(mask="custom", hidden=frozenset({(0, 1), (2, 3), (2, 0)})),
        Settings(mask="custom"),
    ],
)
def test_the_program_applies_the_settings(settings):
    calculation = from_qkv(*drawn((TQ, K), (TK, K), (TK, KV)), settings)
    names, _ = run(numpy_script(calculation, ("q",) * TQ, ("k",) * TK))
    same(names["output"], calculation.output)
    same(names["masked_scores"], calculation.steps.masked_scores[0])
    same(names["weights"], calculation.steps.weights[0])


@pytest.mark.parametrize("with_w_o", [True, False])
def test_heads_are_split_and_joined_as_in_the_calculation(with_w_o):
    *given, w_o = drawn((5, 7), (7, 6), (7, 6), (7, 12), (12, 4))
    calculation = from_projections(*given, w_o if with_w_o else None, 3, Settings(mask="causal"))
    names, printed = run(numpy_script(calculation, tuple("abcde"), tuple("abcde")))
    assert names["output"].shape == (5, 4 if with_w_o else 12)
    same(names["output"], calculation.output)
    assert "head 2: raw scores" in printed


def test_large_scores_do_not_overflow_in_the_program():
    q, k = numbers("Q", [["1e154"], ["-3"]]), numbers("K", [["1e154"], ["2"], ["1e100"]])
    calculation = from_qkv(q, k, torch.eye(3).double())
    with np.errstate(over="raise", invalid="raise"):
        names, _ = run(numpy_script(calculation, ("a", "b"), ("c", "d", "e")))
    same(names["output"], calculation.output)
    assert names["weights"][0].tolist() == [1, 0, 0]


def test_numbers_are_written_with_all_digits():
    q = torch.tensor([[0.1 + 0.2, -1e-300], [1 / 3, 5e-324]], dtype=torch.float64)
    k, v = drawn((3, 2), (3, 5))
    names, _ = run(numpy_script(from_qkv(q, k, v), ("a", "b"), ("c", "d", "e")))
    for name, tensor in (("Q", q), ("K", k), ("V", v)):
        assert names[name].tolist() == tensor.tolist()


def test_token_names_are_string_literals():
    n = len(NASTY)
    calculation = from_qkv(*drawn((n, K), (n, K), (n, KV)))
    script = numpy_script(calculation, NASTY, NASTY[::-1])
    names, printed = run(script)
    assert names["queries"] == list(NASTY)
    assert names["keys"] == list(NASTY[::-1])
    same(names["output"], calculation.output)
    tame, printed_tame = run(numpy_script(calculation, ("a",) * n, ("b",) * n))
    assert names.keys() == tame.keys()
    assert printed == printed_tame
    script.encode("utf-8")


def test_the_program_imports_only_numpy():
    calculation, queries, keys = preset("heads")
    tree = ast.walk(ast.parse(numpy_script(calculation, queries, keys)))
    imports = [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["import numpy as np"]
