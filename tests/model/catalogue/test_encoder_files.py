"""The published files of our encoder: hashes, checkpoints, and measured abilities."""

import json

import numpy as np
import pytest

from model import HeadlightError, load_model
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
