import json
import signal
from dataclasses import dataclass

import pytest
import torch

from model.catalogue import encoder_files
from training.encoder.corpus import Packing
from training.encoder.train import main
from training.recipe import EncoderRecipe


@pytest.fixture(autouse=True)
def signals_as_before():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


SHORT, LONG = Packing(3, 9, 0.3, 128), Packing(5, 20, 0.35, 256)


@dataclass(frozen=True)
class Small(EncoderRecipe):
    """The recipe of the command with small batches."""

    short: Packing = SHORT
    long: Packing = LONG
    common: int = 40
    negatives: int = 60


def state(run):
    return torch.load(run / "state.pt", weights_only=True)


def test_a_continued_run_counts_steps_from_the_shipped_weights(folder, monkeypatch):
    monkeypatch.setattr("training.encoder.train.EncoderRecipe", Small)
    run, last = folder / "run", encoder_files.history().checkpoints[-1]
    arguments = ["--corpus", str(folder), "--out", str(run), "--go-on"]
    for pause in (last.step + 2, last.step + 3):
        assert main([*arguments, "--pause-at", str(pause)]) == 0
        assert state(run)["progress"]["step"] == pause
        arguments = arguments[:-1]  # without the flag: the folder contains its starting point
    assert state(run)["progress"]["tokens"] > encoder_files.history().tokens
    assert state(run)["recipe"]["first"] == last.step
    log = [json.loads(line)["step"] for line in (run / encoder_files.LOG).read_text().splitlines()]
    assert log == [line.step for line in encoder_files.run_log()]
    trained = state(run)["model"]
    for name, weight in encoder_files.weights().items():
        # Three steps of warm-up change the weights a little.
        torch.testing.assert_close(trained[name], weight, atol=1e-3, rtol=0)
