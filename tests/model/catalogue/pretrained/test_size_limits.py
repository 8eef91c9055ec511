"""Oversized configurations are refused without using memory or time."""

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from model import HeadlightError, load_model
from model.catalogue.pretrained import size_limits
from tests.model.checkpoints import configure

ROOT = Path(__file__).parents[4]

# A separate process, whose peak counts from a valid model on. One gigabyte too much shows; the
# system refuses three, which protects other programs on the test machine.
PROGRAM = """
import re, resource, sys, time
from pathlib import Path
from model import HeadlightError, load_model

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024

load_model(sys.argv[1])
virtual = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (virtual + 3 * 2**30,) * 2)
for folder in sys.argv[2:]:
    start, before = time.process_time(), peak()
    try:
        load_model(folder)
        sentence = "loaded"
    except HeadlightError as error:
        sentence = str(error)
    print(round(time.process_time() - start, 1), peak() - before, sentence)
"""

BOMBS = {
    "vocabulary": ("bert", {"vocab_size": 10_000_000}),
    "labels": ("bert", {"num_labels": 1_000_000}),
    "layers of its own name": ("distilbert", {"n_layers": 1_000_000_000}),
    "layers in a list": ("modernbert", {"num_hidden_layers": 1_000_000_000}),
    "groups": ("albert", {"num_hidden_groups": 1_000_000}),
    "positions": ("bert", {"max_position_embeddings": 10_000_000}),
    "sinusoids": (
        "distilbert",
        {"max_position_embeddings": 5_000_000, "sinusoidal_pos_embds": True},
    ),
    "width": ("bert", {"hidden_size": 2_400, "intermediate_size": 9_600}),
}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_sizes_are_checked_before_anything_is_allocated(tmp_path, opened):
    folders = []
    for name, (family, changes) in BOMBS.items():
        folder = shutil.copytree(opened(family).folder, tmp_path / name)
        folders.append(configure(folder, **changes))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(opened("bert").folder), *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = done.stdout.splitlines()
    assert len(answers) == len(BOMBS), done.stderr[-2000:]
    for name, answer in zip(BOMBS, answers, strict=True):
        seconds, megabytes, sentence = answer.split(" ", 2)
        assert float(seconds) < 3, f"{name}: {answer}"
        assert int(megabytes) < 100, f"{name}: {answer}"
        assert "config.json" in sentence, f"{name}: {answer}"


def refused(folder: Path) -> str:
    with pytest.raises(HeadlightError) as error:
        load_model(str(folder))
    return str(error.value)


HEADS = {"hidden_size": 96, "num_attention_heads": 96, "num_hidden_layers": 86}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"num_hidden_layers": 2_000}, "num_hidden_layers = 2,000. Headlight shows up to 100"),
        (HEADS, "num_hidden_layers * num_attention_heads = 8,256"),  # the largest models have 5,120
        ({"id2label": {str(i): f"l{i}" for i in range(10_001)}}, "num_labels = 10,001"),
    ],
    ids=["layers", "heads", "labels"],
)
def test_a_count_over_its_limit_is_named(copied, changes, words):
    assert words in refused(configure(copied("bert"), **changes))


def test_an_oversized_header_is_not_read(copied):
    folder = copied("bert")
    file = folder / "model.safetensors"
    whole = file.read_bytes()
    (length,) = struct.unpack("<Q", whole[:8])
    header = json.loads(whole[8 : 8 + length])
    header["__metadata__"] = {"format": "pt", "comment": "x" * 5_000_000}
    longer = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(longer)) + longer + whole[8 + length :])
    assert "cannot read the weights" in refused(folder)


def test_weights_beyond_the_free_memory_are_refused(opened, monkeypatch):
    folder, n_weights = opened("bert").folder, opened("bert").model.n_parameters
    monkeypatch.setattr(size_limits, "free_memory", lambda: 4 * n_weights)
    load_model(str(folder))
    monkeypatch.setattr(size_limits, "free_memory", lambda: 4 * n_weights - 1)
    sentence = refused(folder)
    assert f"{n_weights:,} weights" in sentence and "GB are free" in sentence


def test_a_container_limits_the_free_memory(tmp_path, monkeypatch):
    machine = size_limits.psutil.virtual_memory().available
    monkeypatch.setattr(size_limits, "CGROUP", tmp_path)
    assert size_limits.free_memory() > machine / 2  # no limit
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("1200\n")
    assert size_limits.free_memory() == 3_800
    (tmp_path / "memory.max").write_text("max\n")
    assert size_limits.free_memory() > machine / 2
