"""README's map of the house names what stands, and all that stands.

The map is one line for each folder or file: its path, indented by two spaces below its folder, two
spaces at least, words. Of the wings every package has a line. Files that have none are covered by
their folder's line; but where one file of a folder is named, all are.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WINGS = ("model", "inference", "viz", "classroom", "pages")
LINE = re.compile(r"(?P<indent>(?:  )*)(?P<path>\S+) {2,}(?P<words>\S.*)")


def map_lines() -> list[str]:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, chapter = readme.partition("## The map of the house\n")
    return chapter.split("```")[1].strip("\n").split("\n")


def entries(lines: list[str]) -> dict[str, str]:
    """Paths from the root, folders with a slash at their end, and what is said of them."""
    found: dict[str, str] = {}
    folders: list[str] = []
    for line in lines:
        match = LINE.fullmatch(line)
        assert match, f"no path, two spaces and words: {line!r}"
        depth = len(match["indent"]) // 2
        assert depth <= len(folders), f"indented below no folder: {line!r}"
        path = "".join((*folders[:depth], match["path"]))
        assert path not in found, f"twice on the map: {path}"
        found[path] = match["words"]
        if path.endswith("/"):
            folders[depth:] = [match["path"]]
        else:
            del folders[depth:]
    return found


MAP = entries(map_lines())


def missing(named: set[str]) -> list[str]:
    """Packages and files of the four wings that a map with these paths leaves out."""
    left_out = []
    for wing in WINGS:
        for folder in (ROOT / wing, *(init.parent for init in (ROOT / wing).rglob("__init__.py"))):
            path = f"{folder.relative_to(ROOT).as_posix()}/"
            files = {path + file.name for file in folder.glob("*.py")} - {f"{path}__init__.py"}
            left_out += [] if path in named else [path]
            left_out += sorted(files - named) if files & named else []
    return sorted(set(left_out))


def test_everything_on_the_map_exists():
    for path in MAP:
        there = (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file()
        assert there, path


def test_everything_that_stands_is_on_the_map():
    assert not missing(set(MAP))


def test_the_rule_finds_what_a_map_leaves_out():
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
