import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from model import HeadlightError
from model.catalogue import encoder_files
from training.encoder.release import measure_again, ship
from training.publish import main


@pytest.fixture
def copy(tmp_path):
    for name in (encoder_files.HISTORY, "scratch.safetensors"):
        shutil.copyfile(encoder_files.FOLDER / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="module")
def run_on(tmp_path_factory):
    """A run that continued from the shipped weights and stopped five steps later."""
    run = tmp_path_factory.mktemp("run")
    last = encoder_files.history().checkpoints[-1]
    state = encoder_files.weights()
    progress = {"step": last.step + 5, "tokens": 40_000_001, "seconds": 7_000.4}
    saved = {"model": state, "progress": progress, "recipe": {"first": last.step}}
    torch.save(saved, run / "state.pt")
    for folder in ("cache", "snapshots"):
        (run / folder).mkdir()
    np.save(run / "cache" / "counts.npy", np.arange(30_522))
    half = {name: tensor.half() for name, tensor in state.items()}
    save_file(half, run / "snapshots" / f"step-{last.step + 3:07d}.safetensors")
    shutil.copyfile(encoder_files.FOLDER / encoder_files.LOG, run / encoder_files.LOG)
    (run / "text.txt").write_text("The old doctor walked to the door and opened it.\n" * 3)
    return run


def test_a_continued_run_keeps_the_previous_checkpoints(run_on, copy):
    before = encoder_files.history().checkpoints
    kept = next(line for line in before if line.step == 800)
    for name in (kept.file, "scratch-000400.safetensors"):
        shutil.copyfile(encoder_files.FOLDER / name, copy / name)
    first = before[-1].step
    ship(run_on, run_on / "text.txt", copy, steps=(800, first + 3, first + 99))
    encoder_files.history.cache_clear()
    found = encoder_files.history(copy)
    assert [line.step for line in found.checkpoints] == [800, first + 3, first + 5]
    assert (found.checkpoints[0].file, found.checkpoints[0].sha256) == (kept.file, kept.sha256)
    assert found.checkpoints[0].loss != kept.loss  # measured again: the whole table uses one text
    assert found.passages == 3
    assert {file.name for file in copy.glob("*.safetensors")} == {
        line.file for line in found.checkpoints
    }
    for line in found.checkpoints:
        encoder_files.weights(line.step, copy)  # checks the hash
    assert (found.tokens, found.seconds) == (40_000_001, 7_000)


def test_a_release_that_fails_leaves_the_shipped_one_unchanged(run_on, copy, capsys):
    with pytest.raises(HeadlightError, match="were not published: 37"):
        ship(run_on, run_on / "text.txt", copy, steps=(37, 800))
    assert (copy / "scratch.safetensors").is_file()
    for run, words in ((run_on, "cannot be read"), (copy, "does not contain a run")):
        assert main(["--run", str(run), "--text", str(run_on / "gone.txt")]) == 1
        assert words in capsys.readouterr().err


def test_a_release_can_be_measured_again_on_another_text(run_on, copy):
    for file in encoder_files.FOLDER.glob("*.safetensors"):
        shutil.copyfile(file, copy / file.name)
    before = encoder_files.history()
    # All of the text, not only its first 500 passages, half of which belong to one article.
    assert (before.measured_on, before.passages, before.masked) == ("wikitext2_valid", 4184, 30_446)
    files = {file.name: file.read_bytes() for file in copy.glob("*.safetensors")}
    measure_again(run_on / "text.txt", copy)
    encoder_files.history.cache_clear()
    found = encoder_files.history(copy)
    assert {file.name: file.read_bytes() for file in copy.glob("*.safetensors")} == files
    for line, old in zip(found.checkpoints, before.checkpoints, strict=True):
        assert (line.step, line.file, line.sha256) == (old.step, old.file, old.sha256)
        assert line.loss != old.loss
    assert (found.measured_on, found.passages) == ("text.txt", 3)
    assert (found.tokens, found.most_frequent) == (before.tokens, before.most_frequent)
