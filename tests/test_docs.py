"""The documents: links have targets, and tables equal the shipped data."""

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
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
DOCUMENTS = sorted(
    file
    for pattern in ("*.md", "docs/*.md", "model/**/*.md", "benchmarks/*/*.md")
    for file in ROOT.glob(pattern)
)


def prose(file: Path) -> str:
    """A document without its code blocks."""
    return re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_relative_link_has_a_target(file: Path) -> None:
    links = [link for link in LINK.findall(prose(file)) if "://" not in link]
    for link in links:
        path, _, heading = link.partition("#")
        target = file.parent / path if path else file
        assert target.exists(), link
        if heading:
            names = re.findall(r"^#+ (.+)$", prose(target), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in names}
            assert heading in anchors, link


def test_the_readme_links_every_document_in_docs() -> None:
    linked = set(LINK.findall(prose(ROOT / "README.md")))
    for file in (ROOT / "docs").glob("*.md"):
        assert f"docs/{file.name}" in linked


def test_all_files_state_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([\d.]+)\] - (\S+)$", changes, re.MULTILINE)
    assert released[0] == (project["version"], citation["date-released"])
    assert citation["version"] == project["version"]


def test_the_readme_takes_three_minutes_to_read() -> None:
    """At 250 words a minute, without the code blocks."""
    assert len(prose(ROOT / "README.md").split()) <= 750


@pytest.mark.parametrize("name", ["docs/training.md", "model/weights/README.md"])
def test_the_table_of_the_training_equals_the_recorded_history(name: str) -> None:
    document = (ROOT / name).read_text(encoding="utf-8").replace(" %", "%")
    for line in encoder_files.history().checkpoints:
        looks = " | ".join(f"{max(map(max, shares)):.2f}" for shares in (line.previous, line.next))
        row = f"| {line.step:,} | {line.loss:.3f} | {line.top1:.1%} | {line.top5:.1%} | {looks} |"
        assert row in document, row
    history = encoder_files.history()
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
    capture, written, steps = found["c"], found["t"], found["steps"]
    assert repr(capture) in first
    assert repr(found["m"]) in first
    obj = found["followed"]["obj"]
    assert f"layer={obj.layer}, head={obj.head}, accuracy={obj.accuracy:.3f}" in text
    assert f"{capture.weights[3, 1, 10, 2]:.4f}" in first
    assert f"{(written.text, written.tokens)}" in second
    assert steps.weights.shape == (5, 5)
    assert found["half"].attend("It works.").origin["dtype"] == "bfloat16"
    read, wrote = len(written.encoder.tokens), len(written.tokens)
    shapes = [s.weights.shape[2:] for s in (written.encoder, written.decoder, written.cross)]
    assert shapes == [(read, read), (wrote, wrote), (wrote, read)]


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


def test_the_table_lists_every_number_of_a_lesson_with_its_fields():
    table = (ROOT / "docs/lessons.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.MULTILINE)
    kinds = get_args(get_args(AnyValue)[0])
    known = {
        get_args(kind.model_fields["what"].annotation)[0]: {
            name + ("" if field.is_required() else "?")
            for name, field in kind.model_fields.items()
            if name != "what"
        }
        for kind in kinds
    }
    listed = {name: set(fields.replace("`", "").split(", ")) for name, fields in rows[1:]}
    assert listed == known
