"""What ships: the files, their hashes, the checkpoints on the way, and what they can do."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from model import HeadlightError, load_model, model_info
from model.analysis.measures import share_at_offset
from model.catalogue import shipped
from model.catalogue.models import checkpoint_step
from model.catalogue.quantise import BITS, FREQUENT, RARE_BITS, TABLE, quantise, restore
from model.training.publish import ship

SENTENCE = "The old doctor walked slowly to the door of the house and opened it."


# -- few bits ------------------------------------------------------------------------------------


def test_a_packed_state_is_the_state_to_half_a_step_of_each_row():
    generator = torch.Generator().manual_seed(0)
    n_rows = FREQUENT + 37
    state = {
        TABLE: torch.randn(n_rows, 13, generator=generator),
        "a.weight": torch.randn(5, 7, generator=generator) * torch.logspace(-1, 2, 5)[:, None],
        "a.bias": torch.randn(9, generator=generator),
    }
    by_frequency = torch.randperm(n_rows, generator=generator)
    back = restore(quantise(state, by_frequency))
    assert set(back) == set(state)
    torch.testing.assert_close(back["a.bias"], state["a.bias"], atol=2e-3, rtol=1e-3)

    def steps_off(name, rows, bits):
        step = state[name][rows].abs().amax(dim=1) / (2 ** (bits - 1) - 1)
        return ((back[name][rows] - state[name][rows]).abs() / step[:, None]).max().item()

    assert steps_off("a.weight", slice(None), BITS) < 0.6
    assert steps_off(TABLE, by_frequency[:FREQUENT], BITS) < 0.6
    assert steps_off(TABLE, by_frequency[FREQUENT:], RARE_BITS) < 0.51
    assert steps_off(TABLE, by_frequency[FREQUENT:], BITS) > 2  # they really have fewer bits


def test_a_row_of_nothing_stays_nothing():
    state = {TABLE: torch.ones(FREQUENT + 1, 3), "a.weight": torch.zeros(2, 3)}
    back = restore(quantise(state, torch.arange(FREQUENT + 1)))
    assert not back["a.weight"].any()


# -- the repository ------------------------------------------------------------------------------


def test_what_ships_is_as_small_as_it_says():
    files = {path.name: path.stat().st_size for path in shipped.FOLDER.glob("*.safetensors")}
    checkpoints = shipped.history().checkpoints
    assert sorted(files) == sorted(checkpoint.file for checkpoint in checkpoints)
    assert files.pop("scratch.safetensors") <= 16e6
    assert sum(files.values()) <= 40e6


def test_checkpoints_stand_in_the_order_of_training_and_get_better():
    checkpoints = shipped.history().checkpoints
    steps = [checkpoint.step for checkpoint in checkpoints]
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    assert checkpoints[-1].top1 == max(checkpoint.top1 for checkpoint in checkpoints)
    assert checkpoints[-1].loss == min(checkpoint.loss for checkpoint in checkpoints)


def test_every_checkpoint_loads_and_attends():
    for checkpoint in shipped.history().checkpoints:
        capture = load_model(f"scratch@{checkpoint.step}").attend(SENTENCE)
        np.testing.assert_allclose(capture.weights.sum(axis=-1), 1, atol=1e-5)


def test_the_last_checkpoint_is_the_shipped_model():
    last = shipped.history().checkpoints[-1]
    ours = load_model("scratch").attend(SENTENCE).weights
    theirs = load_model(f"scratch@{last.step}").attend(SENTENCE).weights
    np.testing.assert_allclose(ours, theirs, atol=0.01)


def test_heads_form_during_training():
    first, last = shipped.history().checkpoints[0], shipped.history().checkpoints[-1]
    for pattern in ("previous", "next"):
        assert np.max(getattr(first, pattern)) < 0.1
        assert np.max(getattr(last, pattern)) > 0.75


def test_a_head_said_to_look_back_looks_back_here_too():
    previous = np.array(shipped.history().checkpoints[-1].previous)
    layer, head = np.unravel_index(previous.argmax(), previous.shape)
    capture = load_model("scratch").attend(SENTENCE)
    share = share_at_offset(capture.weights[layer, head], capture.special, -1)
    assert share == pytest.approx(previous[layer, head], abs=0.25)


def test_scratch_says_what_is_masked():
    (prediction,) = load_model("scratch").predict("She put the book on the [MASK].", top_k=30_522)
    tokens = [token for token, _ in prediction]
    assert sum(p for _, p in prediction) == pytest.approx(1, abs=1e-4)
    assert "table" in tokens[:50]
    assert tokens.index("table") < tokens.index("went")  # a noun stands there, no verb


def test_a_small_fixed_sample_is_predicted_as_well_as_stated():
    # Our own sentences, one word hidden in each; grammar decides most of them.
    hidden = {
        "He looked [MASK] of the window.": "out",
        "They went [MASK] the house and closed the door.": "into",
        "She had never [MASK] him before.": "seen",
        "It was the most beautiful garden in the [MASK].": "world",
        "The children [MASK] playing in the street.": "were",
        "I do not [MASK] what you mean.": "know",
        "He took off his hat [MASK] sat down.": "and",
        "There [MASK] no doubt about it.": "is",
        "The first of these [MASK] is the most important.": "two",
        "In the middle [MASK] the night he woke up.": "of",
    }
    model = load_model("scratch")
    right = sum(
        word in [token for token, _ in model.predict(text, top_k=10)[0]]
        for text, word in hidden.items()
    )
    assert right >= 6


# -- shipping ------------------------------------------------------------------------------------


@pytest.fixture
def run_on(tmp_path_factory):
    """A run that went on from what ships, and stopped five steps later."""
    run = tmp_path_factory.mktemp("run")
    last = shipped.history().checkpoints[-1]
    state = shipped.weights()
    progress = {"step": last.step + 5, "tokens": 40_000_001, "seconds": 7_000.4}
    torch.save(
        {"model": state, "progress": progress, "recipe": {"first": last.step}}, run / "state.pt"
    )
    for folder in ("cache", "snapshots"):
        (run / folder).mkdir()
    np.save(run / "cache" / "counts.npy", np.arange(30_522))
    half = {name: tensor.half() for name, tensor in state.items()}
    save_file(half, run / "snapshots" / f"step-{last.step + 3:07d}.safetensors")
    shutil.copyfile(shipped.FOLDER / shipped.LOG, run / shipped.LOG)
    (run / "text.txt").write_text(f"{SENTENCE}\n" * 3)
    return run


def test_a_run_that_went_on_keeps_the_checkpoints_before_it(run_on, copy):
    before = shipped.history().checkpoints
    kept = next(line for line in before if line.step == 800)
    for name in (kept.file, "scratch-000400.safetensors"):
        shutil.copyfile(shipped.FOLDER / name, copy / name)
    first = before[-1].step
    ship(run_on, run_on / "text.txt", copy, steps=(800, first + 3, first + 99))
    shipped.history.cache_clear()
    found = shipped.history(copy)
    assert [line.step for line in found.checkpoints] == [800, first + 3, first + 5]
    assert found.checkpoints[0] == kept
    assert {file.name for file in copy.glob("*.safetensors")} == {
        line.file for line in found.checkpoints
    }
    for line in found.checkpoints:
        shipped.weights(line.step, copy)  # each by its hash
    assert (found.tokens, found.seconds) == (40_000_001, 7_000)


def test_a_checkpoint_that_never_shipped_cannot_be_kept(run_on, copy):
    with pytest.raises(HeadlightError, match="of the checkpoints before it 37 did not ship"):
        ship(run_on, run_on / "text.txt", copy, steps=(37, 800))
    assert (copy / "scratch.safetensors").is_file()


# -- what can go wrong ---------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path):
    for name in (shipped.HISTORY, "scratch.safetensors"):
        shutil.copyfile(shipped.FOLDER / name, tmp_path / name)
    return tmp_path


def test_changed_weights_are_refused(copy):
    file = copy / "scratch.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(HeadlightError, match="not the ones that were published"):
        shipped.weights(folder=copy)


def test_missing_weights_are_said_to_be_missing(copy, tmp_path_factory):
    (copy / "scratch.safetensors").unlink()
    with pytest.raises(HeadlightError, match=r"scratch\.safetensors are not"):
        shipped.weights(folder=copy)
    with pytest.raises(HeadlightError, match="incomplete"):
        shipped.history(tmp_path_factory.mktemp("empty"))


def test_a_broken_list_is_said_to_be_broken(copy):
    listed = json.loads((copy / shipped.HISTORY).read_text())
    del listed["checkpoints"][0]["sha256"]
    (copy / shipped.HISTORY).write_text(json.dumps(listed))
    with pytest.raises(HeadlightError, match="incomplete"):
        shipped.history(copy)


def test_a_step_that_was_not_kept_is_refused_with_those_that_were():
    with pytest.raises(HeadlightError, match=r"No checkpoint of step 123 was kept; there are 0, "):
        load_model("scratch@123")


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("scratch@400", 400),
        ("scratch", None),
        ("scratch@", None),
        ("scratch@-1", None),
        ("minilm@400", None),
    ],
)
def test_a_name_tells_its_step(name, step):
    assert checkpoint_step(name) == step


def test_a_checkpoint_is_one_of_ours():
    assert model_info("scratch@400").from_scratch
    assert not model_info("minilm@400").from_scratch
