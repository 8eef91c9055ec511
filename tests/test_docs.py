"""The documents state what the code and the shipped data give. tests/lint.py checks their links."""

import re
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from model.analysis.grammar.atlas import read_atlas
from model.catalogue import encoder_files
from pages.lessons.any_value import AnyValue

ROOT = Path(__file__).parent.parent


def test_all_files_state_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([\d.]+)\] - (\S+)$", changes, re.MULTILINE)
    assert released[0] == (project["version"], citation["date-released"])
    assert citation["version"] == project["version"]


@pytest.mark.parametrize("name", ["docs/training.md", "model/weights/README.md"])
def test_the_table_of_the_training_equals_the_recorded_history(name: str) -> None:
    document = (ROOT / name).read_text(encoding="utf-8").replace(" %", "%")
    history = encoder_files.history()
    for line in history.checkpoints:
        looks = " | ".join(f"{max(map(max, shares)):.2f}" for shares in (line.previous, line.next))
        row = f"| {line.step:,} | {line.loss:.3f} | {line.top1:.1%} | {line.top5:.1%} | {looks} |"
        assert row in document, row
    assert f"{history.passages:,} passages" in document.replace("\n", " ")
    assert f"{history.masked:,}" in document


def test_the_notebook_code_runs_and_gives_the_printed_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some blocks save files
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    found: dict[str, Any] = {}
    for block in blocks:
        exec(block, found)  # the project's own code
    first, _half, _paper, _rebuilt, second, *_ = blocks
    capture, written = found["c"], found["t"]
    assert repr(capture) in first and repr(found["m"]) in first
    obj = found["followed"]["obj"]
    assert f"layer={obj.layer}, head={obj.head}, accuracy={obj.accuracy:.3f}" in text
    assert f"{capture.weights[3, 1, 10, 2]:.4f}" in first
    assert f"{(written.text, written.tokens)}" in second
    assert found["half"].attend("It works.").origin["dtype"] == "bfloat16"


ROW = re.compile(
    r"\| `(?P<relation>\w+)` \([^)]*\) \| (?P<minilm>[^|]+) \| (?P<base_minilm>[^|]+) "
    r"\| (?P<scratch>[^|]+) \| (?P<base_scratch>[^|]+) \| (?P<pairs>[\d,]+) \|"
)


@pytest.mark.parametrize("model", ["minilm", "scratch"])
def test_the_table_of_heads_equals_the_atlas(model: str) -> None:
    atlas = read_atlas(model)
    assert atlas is not None
    found = {best.relation: best for best in atlas.best_heads()}
    rows = list(ROW.finditer((ROOT / "docs" / "heads.md").read_text(encoding="utf-8")))
    assert len(rows) == 12
    for row in rows:
        best = found[row["relation"]]
        arrow = "→←"[best.direction]
        head = f"L{best.layer}·H{best.head} {arrow} **{best.accuracy * 100:.1f} %**"
        baseline = f"{best.baseline * 100:.1f} % ({best.offset:+d})".replace("-", "−")
        assert (row[model], row[f"base_{model}"]) == (head, baseline)
        assert row["pairs"] == f"{best.pairs:,}"


def test_the_table_lists_every_number_of_a_lesson_with_its_fields() -> None:
    table = (ROOT / "docs/lessons.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.MULTILINE)
    known = {}
    for kind in get_args(get_args(AnyValue)[0]):
        names = {name: field.is_required() for name, field in kind.model_fields.items()}
        (what,) = get_args(kind.model_fields["what"].annotation)
        known[what] = {
            name if must else f"{name}?" for name, must in names.items() if name != "what"
        }
    assert {name: {*fields.replace("`", "").split(", ")} for name, fields in rows[1:]} == known
