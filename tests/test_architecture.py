"""Who may import whom: pages -> {viz, model}, and nothing else points anywhere."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {"model": {"model"}, "viz": {"viz"}, "pages": {"pages", "viz", "model"}}
ROOMS = {*ALLOWED, "app", "tests", "benchmarks", "examples"}
FORBIDDEN = {
    "model": {"streamlit", "plotly", "viz", "pages"},
    "viz": {"torch", "transformers", "huggingface_hub", "streamlit", "model", "pages"},
}


def sources(room: str) -> list[Path]:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files, f"{room}/ holds no Python"
    return files


def imported(file: Path) -> set[str]:
    """Top-level names of all that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name} imports relatively: say from where"
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_from_the_rooms_it_may(room):
    for file in sources(room):
        assert not imported(file) & (ROOMS - ALLOWED[room]), file


@pytest.mark.parametrize("room", FORBIDDEN)
def test_a_room_works_without_the_libraries_of_the_others(room):
    """In a fresh process, so that what a library brings along counts too."""
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in sources(room)
        if file.stem != "__init__"
    ]
    program = f"import {', '.join(modules)}, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert room in loaded
    assert not loaded & FORBIDDEN[room]


@pytest.mark.parametrize("library", ["transformers", "huggingface_hub"])
def test_transformers_and_the_hub_are_known_to_one_file(library):
    importing = [file.name for file in sources("model") if library in imported(file)]
    assert importing == ["pretrained.py"]
    for room in ("viz", "pages"):
        assert not [file for file in sources(room) if library in imported(file)]
