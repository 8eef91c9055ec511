"""The documents state what the code and the shipped data give. tests/lint.py checks their links."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from model import load_model

ROOT = Path(__file__).parent.parent


def test_all_files_state_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([\d.]+)\] - (\S+)$", changes, re.MULTILINE)
    assert released[0] == (project["version"], citation["date-released"])
    assert citation["version"] == project["version"]


def test_the_notebook_code_runs_and_gives_the_printed_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some blocks save files
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    found: dict[str, Any] = {}
    for block in blocks:
        exec(block, found)  # the project's own code
    first = blocks[0]
    (second,) = [block for block in blocks if "the blue flower" in block]
    capture, written = found["c"], found["t"]
    assert repr(capture) in first and repr(found["m"]) in first
    obj = found["followed"]["obj"]
    assert f"layer={obj.layer}, head={obj.head}, accuracy={obj.accuracy:.3f}" in text
    assert f"{capture.weights[3, 1, 10, 2]:.4f}" in first
    assert f"{(written.text, written.tokens)}" in second
    assert (found["given"].cross.weights == written.cross.weights).all()
    assert f"{found['js_distance'](capture.weights[3, 1], capture.weights[2, 6]):.3f}: of" in text
    assert f"{found['induction_scores'](load_model('smollm2')).max():.3f}: of" in text
    assert [found["scratch"].piece(ids[0]) for ids in found["lens"].ids[:, 0]][-1] == "book"
    assert found["half"].attend("It works.").origin["dtype"] == "bfloat16"
