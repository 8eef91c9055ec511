"""Import rules: between the top packages, between the parts of each, and no import cycles."""

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
    "training": {"training", "model"},
}
PACKAGES = {*ALLOWED, "app", "tests", "benchmarks"}
FORBIDDEN = {
    "model": {"streamlit", "plotly", "viz", "web", "pages"},
    "training": {"streamlit", "plotly", "viz", "web", "pages"},
    "viz": {"torch", "transformers", "huggingface_hub", "streamlit", "model", "web", "pages"},
    "web/rooms/store": {"numpy", "torch", "streamlit", "starlette", "model", "viz", "pages"},
}
"""Libraries and packages that a package must not load, also not indirectly."""
PAGES = (
    "about",
    "calculator",
    "classroom",
    "decoder",
    "explore",
    "heads",
    "layers",
    "lessons",
    "picture",
    "positions",
)

# The parts of each package are its folders and files. Each may import itself and the listed parts.
PARTS_MAY_IMPORT = {
    "model": {
        "errors": set(),
        "version": set(),
        "typed_numbers": set(),
        "languages": {"errors"},
        "transformer": {"errors"},
        "capture": {"errors", "transformer"},
        "calculator": {"errors", "typed_numbers", "transformer"},
        "catalogue": {"errors", "version", "languages", "transformer", "capture"},
        "analysis": {"errors", "version", "transformer", "capture", "catalogue"},
    },
    "training": {
        "command": set(),
        "recipe": {"encoder"},
        "loop": {"recipe"},
        "release": {"loop"},
        "atlases": {"command"},
        "encoder": {"command", "recipe", "loop", "release", "atlases"},
        "translators": {"command", "recipe", "loop", "release"},
        "sentiment": {"command"},
        "publish": {"command", "release", "encoder", "translators"},
        "evaluate": {"command", "encoder", "translators"},
    },
    "viz": {
        "style": set(),
        "figures": {"style"},
        "cards": {"style"},
        "canvas": {"style"},
        "picture": {"canvas"},
        "paper": {"style", "figures", "canvas"},
    },
    "web": {
        "settings": set(),
        "components": set(),
        "streamlit_patches": {"settings"},
        "language": {"settings", "streamlit_patches"},
        "measure_names": {"language"},
        "view_state": {"language", "streamlit_patches"},
        "inference": {"settings", "language", "streamlit_patches", "view_state"},
        "cache": {"settings", "language", "streamlit_patches", "inference"},
        "server": {
            *("settings", "language", "components", "streamlit_patches", "inference"),
            *("cache", "view_state"),
        },
        "widgets": {
            *("settings", "language", "components", "streamlit_patches", "inference"),
            *("cache", "view_state", "server", "measure_names"),
        },
        "rooms": {
            *("settings", "language", "inference", "cache", "view_state", "server"),
            "measure_names",
        },
    },
    "pages": {
        # Every page has the strip of the current lesson above it.
        "router": {"lessons"},
        "urls": set(PAGES),
        "check_lessons": {"lessons"},
        # A page links to another by the path of its file, without an import.
        **{page: set() for page in PAGES},
    },
}
PARTS = [(package, part) for package, parts in PARTS_MAY_IMPORT.items() for part in parts]


def sources(package: str) -> list[Path]:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files, f"{package}/ contains no Python"
    return files


def names_imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Imported names; ``from a.b import c`` gives a.b.c, because c may be a module."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not allowed"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run on import: not functions, and not blocks for type checking."""
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
    """Top-level names of all imports in a file, including those inside functions."""
    return {name.partition(".")[0] for name in names_imported(ast.walk(parsed(file)))}


def files_imported(nodes: Iterable[ast.AST]) -> set[Path]:
    """The imported files of this project."""
    return {file for name in names_imported(nodes) if (file := file_of(name)) is not None}


def file_of(name: str) -> Path | None:
    """The file of a dotted name, or of the longest prefix that is a module."""
    parts = name.split(".")
    if parts[0] not in ALLOWED:
        return None
    for end in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:end])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    raise AssertionError(f"{name} is no file of this repository")


def part_of(file: Path) -> str:
    """The part that contains a file: the first folder below its package, or the file."""
    return Path(file.relative_to(ROOT).parts[1]).stem


def arrow(one: Path, other: Path) -> str:
    return f"{one.relative_to(ROOT)} → {other.relative_to(ROOT)}"


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_allowed_packages(package):
    wrong = {
        str(file.relative_to(ROOT)): found
        for file in sources(package)
        if (found := imported(file) & (PACKAGES - ALLOWED[package]))
    }
    assert not wrong


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_package_does_not_load_forbidden_libraries(package):
    """In a new process, because libraries may load others."""
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in sources(package)
        if file.stem != "__init__"
    ]
    program = f"import {', '.join(modules)}, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert package.partition("/")[0] in loaded
    assert not loaded & FORBIDDEN[package]


@pytest.mark.parametrize("library", ["transformers", "huggingface_hub"])
def test_one_part_imports_transformers_and_the_hub(library):
    part = ROOT / "model" / "catalogue" / "pretrained"
    importing = [file for file in sources("model") if library in imported(file)]
    assert importing
    assert all(file.is_relative_to(part) for file in importing), importing
    for other in ("viz", "web", "pages"):
        assert not [file for file in sources(other) if library in imported(file)]


@pytest.mark.parametrize("package", PARTS_MAY_IMPORT)
def test_every_part_of_a_package_is_listed(package):
    folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    files = {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__"}
    assert folders | files == set(PARTS_MAY_IMPORT[package])


@pytest.mark.parametrize(("package", "part"), PARTS)
def test_a_part_imports_only_listed_parts(package, part):
    allowed = PARTS_MAY_IMPORT[package][part] | {part}
    files = [file for file in sources(package) if part_of(file) == part]
    assert files
    assert not [
        arrow(file, other)
        for file in files
        for other in sorted(files_imported(ast.walk(parsed(file))))
        if other.is_relative_to(ROOT / package) and part_of(other) not in allowed
    ]


def test_the_store_of_rooms_imports_no_other_part_of_the_project():
    store = ROOT / "web" / "rooms" / "store"
    files = sources("web/rooms/store")
    imports = {other for file in files for other in files_imported(ast.walk(parsed(file)))}
    assert imports
    assert all(other.is_relative_to(store) for other in imports)


def test_there_are_no_import_cycles():
    graph = {
        file: files_imported(run_on_import(parsed(file)))
        for package in ALLOWED
        for file in sources(package)
    }
    assert sum(map(len, graph.values())) > len(graph)  # the imports were found
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle = reversed(error.args[1])  # each file imports the next
        pytest.fail(" → ".join(str(file.relative_to(ROOT)) for file in cycle))


def test_the_check_finds_imports_in_classes_and_functions():
    nested = "import viz\nif TYPE_CHECKING:\n    import pages.router\n"
    inside = "class A:\n    import model.errors\ndef f():\n    from web.cache import captures\n"
    found = files_imported(run_on_import(ast.parse(nested + inside)))
    assert found == {ROOT / "viz" / "__init__.py", ROOT / "model" / "errors.py"}
    everything = files_imported(ast.walk(ast.parse(nested + inside)))
    assert ROOT / "web" / "cache" / "captures.py" in everything
