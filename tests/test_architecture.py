"""Who may import whom: pages -> the other wings, floors inside each, no circle anywhere."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {
    "model": {"model"},
    "viz": {"viz"},
    "web": {"web", "viz", "model"},
    "pages": {"pages", "web", "viz", "model"},
}
PACKAGES = {*ALLOWED, "app", "tests", "benchmarks", "examples"}
FORBIDDEN = {
    "model": {"streamlit", "plotly", "viz", "web", "pages"},
    "viz": {"torch", "transformers", "huggingface_hub", "streamlit", "model", "web", "pages"},
    "web/rooms/store": {"numpy", "torch", "streamlit", "starlette", "model", "viz", "pages"},
}
"""Libraries and packages that are not loaded, not even by what a package imports."""
PAGES = (
    "about",
    "calculator",
    "classroom",
    "decoder",
    "explore",
    "heads",
    "layers",
    "lessons",
    "positions",
)

# The folders and files directly in each package: each may import itself and those named after it.
FLOORS = {
    "model": {
        "errors": set(),
        "languages": {"errors"},
        "transformer": {"errors"},
        "capture": {"errors", "transformer"},
        "calculator": {"errors", "transformer"},
        "catalogue": {"errors", "languages", "transformer", "capture"},
        "analysis": {"errors", "transformer", "capture", "catalogue"},
        "training": {"errors", "languages", "transformer", "capture", "catalogue", "analysis"},
    },
    "viz": {
        "style": set(),
        "figures": {"style"},
        "cards": {"style"},
        "canvas": {"style"},
    },
    "web": {
        "settings": set(),
        "components": set(),
        "streamlit_patches": {"settings"},
        "language": {"settings", "streamlit_patches"},
        "inference": {"settings", "language", "streamlit_patches"},
        "cache": {"settings", "language", "streamlit_patches", "inference"},
        "view_state": {"language", "streamlit_patches", "components"},
        "server": {
            *("settings", "language", "components", "streamlit_patches", "inference"),
            *("cache", "view_state"),
        },
        "widgets": {
            *("settings", "language", "components", "streamlit_patches", "inference"),
            *("cache", "view_state", "server"),
        },
        "rooms": {"settings", "language", "cache", "view_state", "server"},
    },
    "pages": {
        # A lesson's strip is above every page.
        "router": {"lessons"},
        "urls": set(PAGES),
        "check_lessons": {"urls", "lessons", "calculator"},
        # A page leads to another by the path of its file, and imports nothing of it.
        **{page: set() for page in PAGES},
    },
}
ROOMS = [(wing, room) for wing, rooms in FLOORS.items() for room in rooms]


def sources(wing: str) -> list[Path]:
    files = sorted((ROOT / wing).rglob("*.py"))
    assert files, f"{wing}/ holds no Python"
    return files


def names_imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """``from a.b import c`` as a.b.c: c may be a module as well as what is in one."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "an import is relative: say from where"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """A module's nodes apart from functions, and from what is there for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from run_on_import(child)


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imported(file: Path) -> set[str]:
    """Top-level names of all that a file imports, wherever in it."""
    return {name.partition(".")[0] for name in names_imported(ast.walk(parsed(file)))}


def files_imported(nodes: Iterable[ast.AST]) -> set[Path]:
    """The files of the wings that are imported."""
    return {file for name in names_imported(nodes) if (file := file_of(name)) is not None}


def file_of(name: str) -> Path | None:
    """The file that a dotted name, or its longest part that is one, stands for."""
    parts = name.split(".")
    if parts[0] not in ALLOWED:
        return None
    for end in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:end])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    raise AssertionError(f"{name} is no file of this repository")


def room_of(file: Path) -> str:
    """The first folder below its wing, or the file itself if it stands in none."""
    return Path(file.relative_to(ROOT).parts[1]).stem


def arrow(one: Path, other: Path) -> str:
    return f"{one.relative_to(ROOT)} → {other.relative_to(ROOT)}"


@pytest.mark.parametrize("wing", ALLOWED)
def test_a_wing_imports_only_from_those_it_may(wing):
    wrong = {
        str(file.relative_to(ROOT)): found
        for file in sources(wing)
        if (found := imported(file) & (PACKAGES - ALLOWED[wing]))
    }
    assert not wrong


@pytest.mark.parametrize("wing", FORBIDDEN)
def test_a_wing_works_without_the_libraries_of_the_others(wing):
    """In a fresh process, so that what a library brings along counts too."""
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in sources(wing)
        if file.stem != "__init__"
    ]
    program = f"import {', '.join(modules)}, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert wing.partition("/")[0] in loaded
    assert not loaded & FORBIDDEN[wing]


@pytest.mark.parametrize("library", ["transformers", "huggingface_hub"])
def test_transformers_and_the_hub_are_known_to_one_room(library):
    room = ROOT / "model" / "catalogue" / "pretrained"
    importing = [file for file in sources("model") if library in imported(file)]
    assert importing
    assert all(file.is_relative_to(room) for file in importing), importing
    for other in ("viz", "web", "pages"):
        assert not [file for file in sources(other) if library in imported(file)]


@pytest.mark.parametrize("wing", FLOORS)
def test_everything_in_a_wing_has_its_floor(wing):
    folders = {path.parent.name for path in (ROOT / wing).glob("*/__init__.py")}
    files = {path.stem for path in (ROOT / wing).glob("*.py")} - {"__init__"}
    assert folders | files == set(FLOORS[wing])


@pytest.mark.parametrize(("wing", "room"), ROOMS)
def test_a_room_stands_on_lower_floors_alone(wing, room):
    allowed = FLOORS[wing][room] | {room}
    files = [file for file in sources(wing) if room_of(file) == room]
    assert files
    assert not [
        arrow(file, other)
        for file in files
        for other in sorted(files_imported(ast.walk(parsed(file))))
        if other.is_relative_to(ROOT / wing) and room_of(other) not in allowed
    ]


def test_the_store_of_rooms_imports_nothing_of_the_project_but_itself():
    store = ROOT / "web" / "rooms" / "store"
    files = sources("web/rooms/store")
    imports = {other for file in files for other in files_imported(ast.walk(parsed(file)))}
    assert imports
    assert all(other.is_relative_to(store) for other in imports)


def test_no_import_runs_in_a_circle():
    graph = {
        file: files_imported(run_on_import(parsed(file)))
        for wing in ALLOWED
        for file in sources(wing)
    }
    assert sum(map(len, graph.values())) > len(graph)  # they were found
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        around = reversed(error.args[1])  # each is imported by the one after it
        pytest.fail(" → ".join(str(file.relative_to(ROOT)) for file in around))


def test_a_circle_would_be_seen():
    nested = "import viz\nif TYPE_CHECKING:\n    import pages.router\n"
    inside = "class A:\n    import model.errors\ndef f():\n    from web.cache import captures\n"
    found = files_imported(run_on_import(ast.parse(nested + inside)))
    assert found == {ROOT / "viz" / "__init__.py", ROOT / "model" / "errors.py"}
    everything = files_imported(ast.walk(ast.parse(nested + inside)))
    assert ROOT / "web" / "cache" / "captures.py" in everything
