"""The map in docs/architecture.md names every package, and only what exists.

Each line of the map describes one folder or file: its path, at least two spaces, and a description.
A path is indented by two spaces below its folder. Every package of the top folders has a line.
A folder's line also covers its files. If the map names one file of a folder, it names all of them.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOP_FOLDERS = ("model", "viz", "web", "pages", "training")
LINE = re.compile(r"(?P<indent>(?:  )*)(?P<path>\S+) {2,}(?P<description>\S.*)")


def map_lines() -> list[str]:
    document = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, chapter = document.partition("## Folders and files\n")
    return chapter.split("```")[1].strip("\n").split("\n")


def entries(lines: list[str]) -> dict[str, str]:
    """Each path from the root, and its description. The path of a folder ends with a slash."""
    found: dict[str, str] = {}
    folders: list[str] = []
    for line in lines:
        match = LINE.fullmatch(line)
        assert match, f"no path, two spaces and description: {line!r}"
        depth = len(match["indent"]) // 2
        assert depth <= len(folders), f"indented below no folder: {line!r}"
        path = "".join((*folders[:depth], match["path"]))
        assert path not in found, f"twice on the map: {path}"
        found[path] = match["description"]
        if path.endswith("/"):
            folders[depth:] = [match["path"]]
        else:
            del folders[depth:]
    return found


MAP = entries(map_lines())


def missing(named: set[str]) -> list[str]:
    """Packages and files of the top folders that are missing from a map with these paths."""
    left_out = []
    for top in TOP_FOLDERS:
        for folder in (ROOT / top, *(init.parent for init in (ROOT / top).rglob("__init__.py"))):
            path = f"{folder.relative_to(ROOT).as_posix()}/"
            files = {path + file.name for file in folder.glob("*.py")} - {f"{path}__init__.py"}
            left_out += [] if path in named else [path]
            left_out += sorted(files - named) if files & named else []
    return sorted(set(left_out))


def test_every_path_on_the_map_exists():
    for path in MAP:
        exists = (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file()
        assert exists, path


def test_every_package_is_on_the_map():
    assert not missing(set(MAP))


def test_the_check_finds_packages_missing_from_a_map():
    named = set(MAP)
    assert missing(named - {"model/analysis/grammar/"}) == ["model/analysis/grammar/"]
    assert missing(named - {"model/transformer/config.py"}) == ["model/transformer/config.py"]
    folder_alone = {path for path in named if not path.startswith("viz/style/")} | {"viz/style/"}
    assert not missing(folder_alone)
    with pytest.raises(AssertionError, match="below no folder"):
        entries(["a/  one", "    b.py  two deeper"])
    assert list(entries(["a/  one", "  b/  two", "    c.py  three", "d.py  four"])) == [
        "a/",
        "a/b/",
        "a/b/c.py",
        "d.py",
    ]
