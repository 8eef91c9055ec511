"""A copy of Headlight with damaged weights starts, and every page says what is wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    "", "model", "layers", "heads", "decoder", "calculator", "positions", "lessons", "classroom",
    "about",
]  # fmt: skip

PROGRAM = """
import json, sys
from pathlib import Path

damaged, pages = sys.argv[1], json.loads(sys.argv[2])
read_bytes, read_text = Path.read_bytes, Path.read_text


def cut_bytes(path):
    return read_bytes(path)[: 100 if path.name == damaged else None]


def cut_text(path, *args, **kwargs):
    return read_text(path, *args, **kwargs)[: 100 if path.name == damaged else None]


Path.read_bytes, Path.read_text = cut_bytes, cut_text
from starlette.applications import Starlette
from starlette.testclient import TestClient
from tests.pages.conftest import first_visit
from web import streamlit_patches
from web.server import warmup

streamlit_patches.install()
warmup.start().join()
answer = TestClient(Starlette(routes=warmup.ROUTES)).get("/api/ready")
seen = {"ready": answer.json(), "status": answer.status_code, "pages": {}}
for page in pages:
    session = first_visit(page)
    session.run()
    seen["pages"][page] = {
        "exceptions": [exception.message for exception in session.exception],
        "errors": [error.value for error in session.error],
    }
print(json.dumps(seen))
"""


@pytest.fixture(scope="module", params=["scratch.safetensors", "history.json"])
def server(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What a server with one damaged file answers, in a process of its own."""
    command = [sys.executable, "-c", PROGRAM, request.param, json.dumps(PAGES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    return {**seen, "damaged": request.param, "log": done.stderr}


def test_the_server_becomes_ready_and_logs_the_reason(server: dict[str, Any]) -> None:
    assert (server["status"], server["ready"]) == (200, {"ready": True})
    assert server["damaged"] in server["log"]
    assert "Traceback" not in server["log"]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_drawn_or_names_the_file(server: dict[str, Any], page: str) -> None:
    seen = server["pages"][page]
    assert seen["exceptions"] == []
    errors = " ".join(seen["errors"]).replace("\\", "")
    if page in ("", "layers", "heads"):  # they begin with our encoder
        assert server["damaged"] in errors and "Fetch the repository again" in errors
