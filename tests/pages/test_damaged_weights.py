"""A copy of Headlight with damaged weights starts, and every page says what is wrong."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
import json
from pathlib import Path

damaged = "history.json"
read_bytes, read_text = Path.read_bytes, Path.read_text


def cut_bytes(path):
    return read_bytes(path)[: 100 if path.name == damaged else None]


def cut_text(path, *args, **kwargs):
    return read_text(path, *args, **kwargs)[: 100 if path.name == damaged else None]


Path.read_bytes, Path.read_text = cut_bytes, cut_text
from starlette.applications import Starlette
from starlette.testclient import TestClient
from tests.pages.visit import Visit
from web import streamlit_patches
from web.server import warmup

streamlit_patches.install()
warmup.start().join()
answer = TestClient(Starlette(routes=warmup.ROUTES)).get("/api/ready")
seen = {"ready": [answer.status_code, answer.json()], "errors": {}, "exceptions": {}}
for damaged in "history.json", "scratch.safetensors":
    for page in "", "layers", "heads", "calculator":
        session = Visit(page).run()
        name = f"{damaged} {page}"
        seen["exceptions"][name] = [exception.message for exception in session.exception]
        seen["errors"][name] = [error.value.replace("\\\\", "") for error in session.error]
print(json.dumps(seen))
"""


def test_the_server_becomes_ready_and_the_pages_of_the_damaged_model_name_the_file() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["ready"] == [200, {"ready": True}]
    assert "history.json" in done.stderr and "Traceback" not in done.stderr
    assert set(map(tuple, seen["exceptions"].values())) == {()}
    for damaged in ("history.json", "scratch.safetensors"):
        for page in ("", "layers", "heads"):  # they begin with our encoder
            (error,) = seen["errors"][f"{damaged} {page}"]
            assert damaged in error and "Fetch the repository again" in error
