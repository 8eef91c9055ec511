"""The code of a real head and of the norms computes the numbers on the page."""

import math

import numpy as np
import pytest
import torch

from model import load_model
from model.calculator import Settings, from_qkv
from model.calculator.norms import batch_norm, layer_norm
from pages.calculator.notebook import head_script, norms_lines
from pages.calculator.request import StackRequest
from tests.model import checkpoints
from tests.model.calculator.test_script import run
from tests.model.conftest import ANIMAL

LAYER, HEAD = 3, 1


def true_head(model, text=ANIMAL, pair=None):
    captured = model.attend(text, pair).head(LAYER, HEAD)
    q, k, v = (torch.tensor(x).double() for x in (captured.q, captured.k, captured.v))
    return (q, k, v), captured.weights


@pytest.fixture(scope="module")
def minilm():
    return load_model("minilm")


@pytest.fixture(autouse=True)
def loaded_once(minilm, monkeypatch):
    """Give the program the loaded model, and record the model names that it loads."""
    names = []
    monkeypatch.setattr("model.load_model", lambda name: names.append(name) or minilm)
    return names


def test_the_program_computes_the_models_own_weights(minilm, loaded_once):
    names, printed = run(
        head_script(StackRequest("minilm", "encoder", ANIMAL, None), LAYER, HEAD, Settings())
    )
    assert loaded_once == ["minilm"]
    qkv, captured = true_head(minilm)
    expected = from_qkv(*qkv)
    assert torch.equal(names["weights"], expected.steps.weights[0])
    assert torch.equal(names["calculation"].output, expected.output)
    assert np.abs(names["weights"].numpy() - captured).max() < 1e-6
    assert str(names["capture"].tokens) in printed
    difference = printed.splitlines()[-1]  # tensor(2.4e-07, dtype=torch.float64)
    assert 0 < float(difference.removeprefix("tensor(").split(",")[0]) < 1e-6


@pytest.mark.parametrize(
    "settings",
    [
        Settings(mask="causal"),
        Settings(scaled=False, temperature=0.1),
        Settings(mask="padding", padding=3),
        Settings(mask="custom", hidden=frozenset({(0, 1), (4, 2)})),
    ],
)
def test_the_program_applies_the_settings(settings, minilm):
    names, printed = run(
        head_script(StackRequest("minilm", "encoder", ANIMAL, None), LAYER, HEAD, settings)
    )
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
def test_a_sentence_is_a_string_literal(text, pair, minilm):
    script = head_script(StackRequest("minilm", "encoder", text, pair), LAYER, HEAD, Settings())
    names, _ = run(script)
    assert (names["capture"].text, names["capture"].text_pair) == (text, pair)
    qkv, _ = true_head(minilm, text, pair)
    assert torch.equal(names["calculation"].output, from_qkv(*qkv).output)


def test_a_model_name_is_a_string_literal(loaded_once):
    folder = "/tmp/it's \"mine\"\\n'); 1/0 #"
    run(head_script(StackRequest(folder, "encoder", ANIMAL, None), LAYER, HEAD, Settings()))
    assert loaded_once == [folder]


def test_settings_contain_only_values_that_differ_from_the_defaults():
    assert "\nsettings = Settings()\n" in head_script(
        StackRequest("minilm", "encoder", "a", None), 0, 0, Settings()
    )
    script = head_script(
        StackRequest("minilm", "encoder", "a", "b"),
        0,
        0,
        Settings(temperature=math.pi, mask="causal"),
    )
    assert "\nsettings = Settings(temperature=3.141592653589793, mask='causal')\n" in script


def test_a_local_layer_keeps_its_own_mask(tmp_path, monkeypatch):
    model = load_model(str(checkpoints.save("modernbert", tmp_path / "modernbert")))
    monkeypatch.setattr("model.load_model", lambda name: model)
    capture = model.attend(ANIMAL)
    assert capture.allowed[1] is not None  # a local layer
    names, _ = run(
        head_script(StackRequest("modernbert", "encoder", ANIMAL, None), 1, 0, Settings())
    )
    own = capture.allowed[1]
    assert not own.all()
    np.testing.assert_array_equal(names["captured"].allowed, own)
    np.testing.assert_array_equal(names["calculation"].allowed.numpy(), own)
    assert np.abs(names["weights"].numpy() - capture.weights[1, 0]).max() < 1e-6
    names, _ = run(
        head_script(
            StackRequest("modernbert", "encoder", ANIMAL, None), 1, 0, Settings(mask="causal")
        )
    )
    np.testing.assert_array_equal(names["calculation"].allowed.numpy(), np.tril(own))  # both
    assert (names["weights"].numpy()[~np.tril(own)] == 0).all()


def test_a_layer_without_a_mask_has_none_in_the_program(minilm):
    assert minilm.attend(ANIMAL).head(LAYER, HEAD).allowed is None
    names, _ = run(
        head_script(StackRequest("minilm", "encoder", ANIMAL, None), LAYER, HEAD, Settings())
    )
    assert names["captured"].allowed is None
    assert names["calculation"].allowed is None


def test_the_code_of_the_norms_runs_and_agrees_with_torch():
    x = torch.tensor([[[1.0, 2.0, 6.0], [3.0, -1.0, 4.0]], [[0.5, 2.0, 1.0], [3.0, 3.5, -2.0]]])
    names, _ = run(norms_lines(x.double()))
    torch.testing.assert_close(names["by_token"], layer_norm(x.double()).output)
    torch.testing.assert_close(names["by_feature"], batch_norm(x.double()).output)
