"""The Python that the page gives away, run: it computes what the page shows, and nothing else."""

import ast
import math
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest
import torch

from model.calculator import PRESETS, Settings, from_projections, from_qkv, numbers
from model.calculator.script import head_script, numpy_script
from tests.model.conftest import ANIMAL

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
    """What a script leaves behind and what it prints, run as a program of its own."""
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


# -- NumPy alone ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_the_script_of_every_preset_computes_its_output(name):
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
def test_settings_are_in_the_script(settings):
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


def test_large_scores_do_not_overflow_in_the_script_either():
    q, k = numbers("Q", [["1e154"], ["-3"]]), numbers("K", [["1e154"], ["2"], ["1e100"]])
    calculation = from_qkv(q, k, torch.eye(3).double())
    with np.errstate(over="raise", invalid="raise"):
        names, _ = run(numpy_script(calculation, ("a", "b"), ("c", "d", "e")))
    same(names["output"], calculation.output)
    assert names["weights"][0].tolist() == [1, 0, 0]


def test_numbers_are_written_digit_for_digit():
    q = torch.tensor([[0.1 + 0.2, -1e-300], [1 / 3, 5e-324]], dtype=torch.float64)
    k, v = drawn((3, 2), (3, 5))
    names, _ = run(numpy_script(from_qkv(q, k, v), ("a", "b"), ("c", "d", "e")))
    for name, tensor in (("Q", q), ("K", k), ("V", v)):
        assert names[name].tolist() == tensor.tolist()


def test_names_of_tokens_are_data_and_never_code():
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


def test_the_script_needs_numpy_alone():
    calculation, queries, keys = preset("heads")
    tree = ast.walk(ast.parse(numpy_script(calculation, queries, keys)))
    imports = [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["import numpy as np"]


# -- a real head ---------------------------------------------------------------------------------

LAYER, HEAD = 3, 1


def true_head(model, text=ANIMAL, pair=None):
    captured = model.attend(text, pair).head(LAYER, HEAD)
    q, k, v = (torch.tensor(x).double() for x in (captured.q, captured.k, captured.v))
    return (q, k, v), captured.weights


@pytest.fixture(autouse=True)
def loaded_once(minilm, monkeypatch):
    """The script asks for the model by its name, and gets it without loading it again."""
    asked = []
    monkeypatch.setattr("model.load_model", lambda name: asked.append(name) or minilm)
    return asked


def test_the_heads_script_computes_what_the_model_computed(minilm, loaded_once):
    names, printed = run(head_script("minilm", ANIMAL, None, LAYER, HEAD, Settings()))
    assert loaded_once == ["minilm"]
    qkv, captured = true_head(minilm)
    expected = from_qkv(*qkv)
    assert torch.equal(names["weights"], expected.steps.weights[0])
    assert torch.equal(names["calculation"].output, expected.output)
    assert np.abs(names["weights"].numpy() - captured).max() < 1e-6
    assert str(names["capture"].tokens) in printed
    said = printed.splitlines()[-1]  # tensor(2.4e-07, dtype=torch.float64)
    assert 0 < float(said.removeprefix("tensor(").split(",")[0]) < 1e-6


@pytest.mark.parametrize(
    "settings",
    [
        Settings(mask="causal"),
        Settings(scaled=False, temperature=0.1),
        Settings(mask="padding", padding=3),
        Settings(mask="custom", hidden=frozenset({(0, 1), (4, 2)})),
    ],
)
def test_the_heads_script_has_the_pages_settings(settings, minilm):
    names, printed = run(head_script("minilm", ANIMAL, None, LAYER, HEAD, settings))
    qkv, captured = true_head(minilm)
    expected = from_qkv(*qkv, settings)
    assert torch.equal(names["calculation"].output, expected.output)
    assert torch.equal(names["weights"], expected.steps.weights[0])
    assert np.abs(names["weights"].numpy() - captured).max() > 1e-3  # no longer the model's own
    assert printed.endswith(f"{expected.output}\n")  # and no difference is printed
    if settings.mask == "causal":
        assert names["weights"].triu(1).count_nonzero() == 0
    assert names["calculation"].divisor == settings.divisor(qkv[0].shape[1])


@pytest.mark.parametrize("pair", [None, "a'\"\n\\{0}"])
@pytest.mark.parametrize("text", ["'); raise SystemExit('", "say \"no\" \\ 'yes'\n#", "🙂 {x} %s"])
def test_a_sentence_is_data_and_never_code(text, pair, minilm):
    script = head_script("minilm", text, pair, LAYER, HEAD, Settings())
    names, _ = run(script)
    assert (names["capture"].text, names["capture"].text_pair) == (text, pair)
    qkv, _ = true_head(minilm, text, pair)
    assert torch.equal(names["calculation"].output, from_qkv(*qkv).output)


def test_a_models_name_is_data_and_never_code(loaded_once):
    folder = "/tmp/it's \"mine\"\\n'); 1/0 #"
    run(head_script(folder, ANIMAL, None, LAYER, HEAD, Settings()))
    assert loaded_once == [folder]


def test_only_what_differs_from_the_defaults_is_written_into_the_settings():
    assert "\nsettings = Settings()\n" in head_script("minilm", "a", None, 0, 0, Settings())
    script = head_script("minilm", "a", "b", 0, 0, Settings(temperature=math.pi, mask="causal"))
    assert "\nsettings = Settings(temperature=3.141592653589793, mask='causal')\n" in script


def test_a_head_of_a_local_layer_is_the_same_too(families, monkeypatch):
    model = families["modernbert"]
    monkeypatch.setattr("model.load_model", lambda name: model)
    capture = model.attend(ANIMAL)
    assert capture.allowed[1] is not None  # a local layer
    names, _ = run(head_script("modernbert", ANIMAL, None, 1, 0, Settings()))
    own = capture.allowed[1]
    assert not own.all()
    np.testing.assert_array_equal(names["captured"].allowed, own)
    np.testing.assert_array_equal(names["calculation"].allowed.numpy(), own)
    assert np.abs(names["weights"].numpy() - capture.weights[1, 0]).max() < 1e-6
    names, _ = run(head_script("modernbert", ANIMAL, None, 1, 0, Settings(mask="causal")))
    np.testing.assert_array_equal(names["calculation"].allowed.numpy(), np.tril(own))  # both
    assert (names["weights"].numpy()[~np.tril(own)] == 0).all()


def test_a_layer_that_hides_nothing_has_no_mask_of_its_own(minilm):
    assert minilm.attend(ANIMAL).head(LAYER, HEAD).allowed is None
    names, _ = run(head_script("minilm", ANIMAL, None, LAYER, HEAD, Settings()))
    assert names["captured"].allowed is None
    assert names["calculation"].allowed is None
