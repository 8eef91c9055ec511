"""Oversized configurations are refused without using memory or time."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from model.catalogue import placement
from tests.model.checkpoints import configure, refused

ROOT = Path(__file__).parents[4]

# A separate process, whose memory counts from a valid model on. The system refuses 3 GB more.
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
    "sinusoids": ("distilbert", {"max_position_embeddings": 10**7, "sinusoidal_pos_embds": True}),
    "width": ("bert", {"hidden_size": 2_400, "intermediate_size": 9_600}),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_sizes_are_checked_before_anything_is_allocated(tmp_path, opened):
    folders = []
    for name, (family, changes) in BOMBS.items():
        folder = shutil.copytree(opened(family).folder, tmp_path / name)
        folders.append(configure(folder, **changes))
    command = [sys.executable, "-c", PROGRAM, str(opened("bert").folder), *folders]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    for name, answer in zip(BOMBS, done.stdout.splitlines(), strict=True):
        seconds, megabytes, sentence = answer.split(" ", 2)
        small = float(seconds) < 3 and int(megabytes) < 100
        assert small and "config.json" in sentence, f"{name}: {answer}"


def test_an_oversized_header_is_not_read(copied):
    folder = copied("bert")
    file = folder / "model.safetensors"
    comment = {"format": "pt", "comment": "x" * 5_000_000}
    save_file(load_file(file), file, metadata=comment)
    assert "cannot read the weights" in refused(folder)


def test_a_container_limits_the_free_memory(tmp_path, monkeypatch):
    machine = placement.psutil.virtual_memory().available
    monkeypatch.setattr(placement, "CGROUP", tmp_path)
    assert placement.free_memory() > machine / 2  # no limit
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("1200\n")
    assert placement.free_memory() == 3_800
    (tmp_path / "memory.max").write_text("max\n")
    assert placement.free_memory() > machine / 2
