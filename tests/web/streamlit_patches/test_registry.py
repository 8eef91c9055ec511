"""The registry of patches: recorded sources, documentation, private names, and ``--plain``."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import streamlit as st

from benchmarks.browser import Server, free_port
from benchmarks.protocol import is_refusal
from tests.streamlit_visitor import Visitor
from tests.test_architecture import PAGES, names_imported, parsed, sources
from web import streamlit_patches
from web.streamlit_patches import PATCHES

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "web" / "streamlit_patches"

PRIVATE_MODULES = (
    "streamlit.runtime",
    "streamlit.web",
    "streamlit.proto",
    "streamlit.components.v2.bidi_component",
)
PRIVATE_ATTRIBUTE = re.compile(
    r"\b(?:st|streamlit|config|uvicorn|asyncio|loop|session|runtime|manager|context)\._[a-z]\w+"
)


def test_the_patched_sources_are_unchanged() -> None:
    """In a process of its own, in which no patch is installed."""
    command = [sys.executable, "-m", "web.streamlit_patches"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), f"check these patches:\n{done.stdout}"


def test_a_changed_or_missing_target_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = streamlit_patches.Patch("one", True, {"streamlit.string_util:to_snake_case": "0"})
    missing = streamlit_patches.Patch("two", True, {"streamlit.string_util:no_such_name": "0"})
    monkeypatch.setattr(streamlit_patches, "PATCHES", (changed, missing))
    found = list(streamlit_patches.changed_targets())
    assert [name for name, _target, _hash in found] == ["one", "two"]
    assert found[1][2] == "missing"


def test_every_file_is_registered_and_documented() -> None:
    files = {file.stem for file in FOLDER.glob("*.py")} - {"__init__", "__main__"}
    assert {patch.name for patch in PATCHES} == files
    for patch in PATCHES:
        doc = import_module(f"web.streamlit_patches.{patch.name}").__doc__ or ""
        assert re.search(r"^Replaces", doc, re.MULTILINE), patch.name
        assert re.search(r"^Upstream: (https://github\.com/|not reported:)", doc, re.MULTILINE)
        assert re.search(r"^Delete ", doc, re.MULTILINE), patch.name
        assert patch.targets, patch.name


TEST_NAME = re.compile(r'data-testid[*^$]?="(\w+)"|"(data-test-[a-z-]+)"')


def test_every_name_of_streamlit_in_a_style_sheet_or_script_is_in_its_bundle() -> None:
    files = [*(ROOT / "web").rglob("*.css"), *(ROOT / "web").rglob("*.js")]
    used = {
        one or other for file in files for one, other in TEST_NAME.findall(file.read_text("utf-8"))
    }
    scripts = (Path(st.__file__).parent / "static" / "static" / "js").glob("*.js")
    bundle = "".join(file.read_text("utf-8") for file in scripts)
    assert len(used) > 15
    assert not {name for name in used if name not in bundle}


def test_scripts_read_streamlits_page_in_the_patches_only() -> None:
    files = {file.name for file in FOLDER.glob("*.js")}
    assert files == set(streamlit_patches.BROWSER_FILES)
    for name in files:
        head = (FOLDER / name).read_text("utf-8").partition("\n\n")[0]
        for part in ("Replaces: ", "Upstream: ", "Delete it when "):
            assert f"// {part}" in head, name
    elsewhere = (ROOT / "web" / "components").rglob("*.js")
    private = re.compile(r"data-test|WebSocket\.prototype|_stcore/stream")
    assert not [file.name for file in elsewhere if private.search(file.read_text("utf-8"))]


def test_plain_leaves_out_the_optional_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[str] = []
    patches = [
        streamlit_patches.Patch(name, required, {}, lambda name=name: installed.append(name))
        for name, required in (("needed", True), ("optional", False))
    ]
    monkeypatch.setattr(streamlit_patches, "PATCHES", patches)
    streamlit_patches.install(plain=True)
    assert installed == ["needed"]
    streamlit_patches.install()
    assert installed == ["needed", "needed", "optional"]


def test_private_names_occur_in_the_patches_only() -> None:
    files = [ROOT / "app.py", *sources("web"), *sources("pages")]
    found = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if not file.is_relative_to(FOLDER) and private_names(parsed(file))
    }
    assert not found, sorted(found)


def test_private_names_are_found() -> None:
    for line in (
        "from streamlit.runtime.scriptrunner import get_script_run_ctx",
        "import streamlit.proto.BackMsg_pb2",
        "session._scriptrunner.request_stop()",
    ):
        assert private_names(ast.parse(line)), line
    assert not private_names(ast.parse("from streamlit.delta_generator import DeltaGenerator"))


def private_names(module: ast.Module) -> set[str]:
    imported = {
        name for name in names_imported(ast.walk(module)) if name.startswith(PRIVATE_MODULES)
    }
    return imported | set(PRIVATE_ATTRIBUTE.findall(ast.unparse(module)))


@pytest.fixture(scope="module")
def plain_server() -> Iterator[str]:
    """Host and port of a server that was started with ``--plain``."""
    port = free_port()
    command = [sys.executable, str(ROOT / "app.py"), "--plain", "--port", str(port)]
    with Server(command, f"http://127.0.0.1:{port}/api/ready", patience=250):
        yield f"127.0.0.1:{port}"


@pytest.mark.filterwarnings("ignore:connect:DeprecationWarning")  # of websockets, in Visitor
@pytest.mark.parametrize("page", ["", *sorted(set(PAGES) - {"explore"})])
def test_every_page_works_without_the_optional_patches(plain_server: str, page: str) -> None:
    with Visitor(plain_server, page) as visitor:
        visitor.rerun()
        assert visitor.messages
        assert not [message for message in visitor.messages if is_refusal(message)]
