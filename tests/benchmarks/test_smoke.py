"""Every benchmark still runs: a few seconds each, without a look at its figures."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("explore", "first_visit", "survey", "classroom", "lecture", "hostile")


def test_every_benchmark_is_tried() -> None:
    commands = {
        file.stem
        for file in (ROOT / "benchmarks").glob("*.py")
        if "--smoke" in file.read_text("utf-8")
    }
    assert commands == set(NAMES)


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs_and_prints_its_table(name: str) -> None:
    command = [sys.executable, "-m", f"benchmarks.{name}", "--smoke"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "answered, but" not in done.stderr and "Error" not in done.stderr, done.stderr[-2000:]
