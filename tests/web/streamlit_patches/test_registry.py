"""The registry of patches: recorded sources, and names of Streamlit's page."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import streamlit as st

from web.streamlit_patches import source_hash

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "web" / "streamlit_patches"

TEST_NAME = re.compile(r'data-testid[*^$]?="(\w+)"|"(data-test-[a-z-]+)"')


def test_the_patched_sources_are_unchanged() -> None:
    """In a process of its own, in which no patch is installed."""
    program = "from web.streamlit_patches import changed_targets; print(*changed_targets())"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "\n"), f"check these patches:\n{done.stdout}"


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


def test_a_missing_target_stops_the_server() -> None:
    program = """from streamlit.runtime.app_session import AppSession
del AppSession.request_script_stop
import web.streamlit_patches"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode and "Traceback" not in done.stderr
    assert "rerun_patches.py uses" in done.stderr and "streamlit==1.67.0" in done.stderr
    assert source_hash("streamlit.runtime.state:SessionState._old_states") == "missing"
