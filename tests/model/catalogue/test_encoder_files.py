"""The published files of our encoder: hashes, checkpoints, and measured abilities."""

import json

import numpy as np
import pytest

from model import HeadlightError, load_model
from model.analysis.weight_statistics import share_at_offset
from model.catalogue import encoder_files

SENTENCE = "The old doctor walked slowly to the door of the house and opened it."


def test_the_first_and_the_last_checkpoint_load_and_the_last_is_the_published_model():
    checkpoints = encoder_files.history().checkpoints
    first, *_, last = checkpoints
    steps = [checkpoint.step for checkpoint in checkpoints]
    assert steps == sorted(set(steps)) and steps[0] == 0
    ours, early, late = (
        load_model(name).attend(SENTENCE).weights
        for name in ("scratch", f"scratch@{first.step}", f"scratch@{last.step}")
    )
    np.testing.assert_allclose(late, ours, atol=0.01)
    np.testing.assert_allclose(early.sum(axis=-1), 1, atol=1e-5)
    assert not np.allclose(early, late, atol=0.1)


def test_a_head_measured_to_look_back_looks_back():
    previous = np.array(encoder_files.history().checkpoints[-1].previous)
    layer, head = np.unravel_index(previous.argmax(), previous.shape)
    capture = load_model("scratch").attend(SENTENCE)
    share = share_at_offset(capture.weights[layer, head], capture.special, -1)
    assert share == pytest.approx(previous[layer, head], abs=0.25)


def test_a_small_fixed_sample_is_predicted_as_well_as_stated():
    # Each has one masked word that grammar mostly determines.
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


def test_missing_weights_and_a_broken_list_are_reported(tmp_path):
    listed = json.loads((encoder_files.FOLDER / encoder_files.HISTORY).read_text())
    (tmp_path / encoder_files.HISTORY).write_text(json.dumps(listed))
    with pytest.raises(HeadlightError, match=r"scratch\.safetensors differs"):
        encoder_files.weights(folder=tmp_path)
    broken = tmp_path / "broken"
    broken.mkdir()
    del listed["checkpoints"][0]["sha256"]
    (broken / encoder_files.HISTORY).write_text(json.dumps(listed))
    for folder in (broken, tmp_path / "none"):
        with pytest.raises(HeadlightError, match="damaged"):
            encoder_files.history(folder)
