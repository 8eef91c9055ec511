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
def test_transformers_and_the_hub_are_known_to_one_room(library):
    room = ROOT / "model" / "catalogue" / "pretrained"
    importing = [file for file in sources("model") if library in imported(file)]
    assert importing
    assert all(file.is_relative_to(room) for file in importing), importing
    for other in ("viz", "pages"):
        assert not [file for file in sources(other) if library in imported(file)]


# Inside model/: a room may use those named after it.
FLOORS = {
    "transformer": set(),
    "capture": {"transformer"},
    "calculator": {"transformer"},
    "catalogue": {"transformer", "capture"},
    "analysis": {"transformer", "capture", "catalogue"},
    "training": {"transformer", "capture", "catalogue", "analysis"},
}


def rooms_of_model(file: Path) -> set[str]:
    """The rooms of model/ that a file imports from; "" for its public face."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            top, _, rest = name.partition(".")
            if top == "model" and not name.startswith("model.errors"):
                room = rest.partition(".")[0]
                found.add(room if room in FLOORS else "")
    return found


def test_every_room_of_model_has_its_floor():
    folders = {path.parent.name for path in (ROOT / "model").glob("*/__init__.py")}
    assert folders == set(FLOORS)


@pytest.mark.parametrize("room", FLOORS)
def test_a_room_of_model_stands_on_lower_floors_alone(room):
    for file in sources(f"model/{room}"):
        assert rooms_of_model(file) - {room} <= FLOORS[room], file
