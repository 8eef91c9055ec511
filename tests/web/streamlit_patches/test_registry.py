"""The registry of patches: recorded sources, names of Streamlit's page, and ``--plain``."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import streamlit as st

from benchmarks.browser import Server, free_port
from benchmarks.protocol import is_refusal
from tests.streamlit_visitor import Visitor
from web.streamlit_patches import source_hash

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "web" / "streamlit_patches"

TEST_NAME = re.compile(r'data-testid[*^$]?="(\w+)"|"(data-test-[a-z-]+)"')


def test_the_patched_sources_are_unchanged() -> None:
    """In a process of its own, in which no patch is installed."""
    command = [sys.executable, "-m", "web.streamlit_patches"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), f"check these patches:\n{done.stdout}"


def test_every_name_of_streamlit_in_a_style_sheet_or_script_is_in_its_bundle() -> None:
    files = [*(ROOT / "web").rglob("*.css"), *(ROOT / "web").rglob("*.js")]
    found = (match for file in files for match in TEST_NAME.findall(file.read_text("utf-8")))
    used = {one or other for one, other in found}
    scripts = (Path(st.__file__).parent / "static" / "static" / "js").glob("*.js")
    bundle = "".join(file.read_text("utf-8") for file in scripts)
    assert len(used) > 15
    assert not {name for name in used if name not in bundle}


def test_every_private_name_in_a_patch_is_a_target() -> None:
    for file in FOLDER.glob("[!_]*.py"):
        targets = import_module(f"web.streamlit_patches.{file.stem}").TARGETS
        text = file.read_text("utf-8")
        used = set(re.findall(r"\.(_[a-z]\w*)", text)) - set(re.findall(r"self\.(_\w+)", text))
        known = {target.rpartition(".")[2] for target in targets}
        assert {name for name in used if "headlight" not in name} <= known, file.name


@pytest.mark.parametrize(
    ("lost", "error", "warning"),
    [
        ("app_session:AppSession.request_script_stop", "rerun_patches.py uses", ""),
        ("state:SafeSessionState.filtered_state", "", "optional patch session_state_patches"),
    ],
)
def test_a_missing_target_stops_the_server_or_leaves_out_an_optional_patch(
    lost: str, error: str, warning: str
) -> None:
    owner, name = f"streamlit.runtime.{lost}".rsplit(".", 1)
    program = f"""from pkgutil import resolve_name
delattr(resolve_name({owner!r}), {name!r})
from web.streamlit_patches import *
install()"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == bool(error) and "Traceback" not in done.stderr
    assert error + warning in done.stderr and "streamlit==1.67.0" in done.stderr
    assert source_hash("streamlit.runtime.state:SessionState._old_states") == "missing"


@pytest.mark.filterwarnings("ignore:connect:DeprecationWarning")  # of websockets, in Visitor
@pytest.mark.slow
def test_pages_work_without_the_optional_patches() -> None:
    port = free_port()
    command = [sys.executable, str(ROOT / "app.py"), "--plain", "--port", str(port)]
    with Server(command, f"http://127.0.0.1:{port}/api/ready", patience=250):
        for page in ("", "heads", "decoder", "calculator", "lessons"):
            with Visitor(f"127.0.0.1:{port}", page) as visitor:
                visitor.rerun()
                assert visitor.messages, page
                assert not [message for message in visitor.messages if is_refusal(message)], page
