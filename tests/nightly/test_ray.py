"""A survey in tasks of Ray gives the numbers of a survey without it."""

import os
import subprocess
import sys
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
TEXTS = ["the dog was it", "the animal did not cross the street, and it was too tired", "the cat"]

pytest.importorskip("ray", reason="Ray is not installed: pip install -r requirements-ray.txt")


def test_ray_computes_the_same_numbers(tmp_path):
    """In a process of its own, because Ray installs handlers and threads in it."""
    (tmp_path / "data.txt").write_text("\n".join(50 * TEXTS))  # three parts
    command = [sys.executable, "-m", "model.analysis.survey", "--model", "scratch"]
    command += ["--data", str(tmp_path / "data.txt")]
    with TemporaryDirectory(prefix="r") as short:  # paths of sockets have a maximum length
        env = {**os.environ, "RAY_TMPDIR": short, "RAY_AUTH_TOKEN": token_hex(16)}

        def run(*options: str) -> subprocess.CompletedProcess[str]:
            whole = [*command, *options]
            return subprocess.run(whole, cwd=ROOT, env=env, capture_output=True, text=True)

        tables = {}
        for name, options in {"ray": ["--ray"], "alone": []}.items():
            out = tmp_path / f"{name}.parquet"
            done = run("--measures", "next,entropy", "--out", str(out), *options)
            assert done.returncode == 0, done.stderr
            tables[name] = pd.read_parquet(out)
        out = str(tmp_path / "off.csv")
        refused = run("--off", "probability", "--words", "dog", "--out", out, "--ray")
    assert tables["ray"]["sentence"].nunique() == 150
    pd.testing.assert_frame_equal(tables["ray"], tables["alone"], check_exact=True)
    assert refused.returncode == 1
    assert refused.stderr.strip().endswith("where the model predicts a word.")
