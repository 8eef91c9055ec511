"""Compression of what the server sends: without loss, and only where it is allowed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
import zstandard
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from app import MIDDLEWARE
from web import settings
from web.settings import for_address

STATIC = Path(st.__file__).parent / "static"
SCRIPT = next((STATIC / "static" / "js").glob("index.*.js"))
FONT = next((STATIC / "static" / "media").glob("*.woff2"))


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(settings, "_settings", for_address("127.0.0.1", environment={}))
    compress = [each for each in MIDDLEWARE if each.cls.__name__ == "CompressMiddleware"]
    middleware = [Middleware(each.cls, **each.kwargs) for each in compress]
    app = Starlette(routes=[Mount("/", StaticFiles(directory=STATIC))], middleware=middleware)
    with TestClient(app, base_url="http://localhost:8501") as browser:
        yield browser


def fetch(client: TestClient, file: Path, **headers: str):
    """The response, and its body as transferred."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    path = f"/{file.relative_to(STATIC)}"
    with client.stream("GET", path, headers=names) as response:
        return response, b"".join(response.iter_raw())


def test_scripts_are_compressed_and_fonts_and_ranges_are_sent_as_they_are(
    client: TestClient,
) -> None:
    response, body = fetch(client, SCRIPT, accept_encoding="zstd, br, gzip")
    assert response.headers["content-encoding"] == "zstd"
    assert "accept-encoding" in response.headers["vary"].lower()
    assert zstandard.ZstdDecompressor().stream_reader(body).read() == SCRIPT.read_bytes()
    assert len(body) < 0.4 * SCRIPT.stat().st_size
    response, body = fetch(client, FONT, accept_encoding="zstd, br, gzip")
    assert "content-encoding" not in response.headers and body == FONT.read_bytes()
    response, body = fetch(client, SCRIPT, accept_encoding="br", range="bytes=10-19")
    assert (response.status_code, body) == (206, SCRIPT.read_bytes()[10:20])
    assert "content-encoding" not in response.headers
