"""Compression of static files: sizes, headers, ranges and caching."""

import asyncio
import gzip
import threading
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import brotli
import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from web import settings
from web.server import compression
from web.server.compression import CompressionMiddleware, best_encoding
from web.server.request_guard import RequestGuardMiddleware
from web.settings import for_address

STATIC = Path(st.__file__).parent / "static"
SCRIPT = next((STATIC / "static" / "js").glob("index.*.js"))
FONT = next((STATIC / "static" / "media").glob("*.woff2"))
DECODE = {"br": brotli.decompress, "gzip": gzip.decompress}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(settings, "_settings", for_address("127.0.0.1", environment={}))

    async def private(request: object) -> FileResponse:
        return FileResponse(SCRIPT)

    async def answer(request: object) -> JSONResponse:
        return JSONResponse(["no file"] * 100)

    routes = [
        Route("/media/mine.js", private),
        Route("/api/ready", answer),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(RequestGuardMiddleware), Middleware(CompressionMiddleware)],
    )
    with TestClient(app, base_url="http://localhost:8501") as browser:
        yield browser


def ask(client: TestClient, path: str, encoding: str, method: str = "GET", **more: str):
    """Headers of a response, and its body as transferred."""
    headers = {"accept-encoding": encoding, **{k.replace("_", "-"): v for k, v in more.items()}}
    with client.stream(method, path, headers=headers) as answer:
        return answer, b"".join(answer.iter_raw())


def path_of(file: Path) -> str:
    return "/" + str(file.relative_to(STATIC))


@pytest.mark.parametrize("encoding", ["br", "gzip"])
@pytest.mark.parametrize("file", [SCRIPT, STATIC / "manifest.json", STATIC / "index.html"])
def test_a_file_is_compressed_without_loss(client: TestClient, file: Path, encoding: str) -> None:
    answer, body = ask(client, path_of(file), encoding)
    assert answer.status_code == 200
    assert answer.headers["content-encoding"] == encoding
    assert int(answer.headers["content-length"]) == len(body) < 0.4 * file.stat().st_size
    assert DECODE[encoding](body) == file.read_bytes()
    plain, as_it_is = ask(client, path_of(file), "identity")
    assert as_it_is == file.read_bytes() and "content-encoding" not in plain.headers
    for each in (answer, plain):
        assert each.headers["vary"] == "Accept-Encoding"
        assert each.headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self'" in each.headers["content-security-policy"]
    for name in ("content-type", "last-modified"):
        assert answer.headers[name] == plain.headers[name]
    assert answer.headers["etag"] != plain.headers["etag"]


def test_a_head_response_has_the_headers_of_a_get_response(client: TestClient) -> None:
    whole, _ = ask(client, path_of(SCRIPT), "br")
    head, body = ask(client, path_of(SCRIPT), "br", "HEAD")
    assert body == b"" and head.status_code == 200
    assert dict(head.headers) == dict(whole.headers)


@pytest.mark.parametrize("encoding", ["br", "gzip", "identity"])
def test_a_cached_file_gets_304(client: TestClient, encoding: str) -> None:
    etag = ask(client, path_of(SCRIPT), encoding)[0].headers["etag"]
    for known in (etag, f'"another", {etag}', f"W/{etag}"):
        answer, body = ask(client, path_of(SCRIPT), encoding, if_none_match=known)
        assert (answer.status_code, body) == (304, b"")
        assert answer.headers["etag"] == etag
        assert answer.headers["vary"] == "Accept-Encoding"
        assert "content-encoding" not in answer.headers
    answer, _ = ask(client, path_of(SCRIPT), encoding, if_none_match='"another"')
    assert answer.status_code == 200


def test_an_etag_belongs_to_one_encoding(client: TestClient) -> None:
    etag = ask(client, path_of(SCRIPT), "br")[0].headers["etag"]
    for encoding in ("gzip", "identity"):
        answer, _ = ask(client, path_of(SCRIPT), encoding, if_none_match=etag)
        assert answer.status_code == 200


def test_a_range_counts_the_bytes_of_the_uncompressed_file(client: TestClient) -> None:
    ask(client, path_of(SCRIPT), "br")
    answer, body = ask(client, path_of(SCRIPT), "br, gzip", range="bytes=7-1006")
    assert answer.status_code == 206 and "content-encoding" not in answer.headers
    assert answer.headers["content-range"] == f"bytes 7-1006/{SCRIPT.stat().st_size}"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert body == SCRIPT.read_bytes()[7:1007]


def test_fonts_and_dynamic_responses_are_not_compressed(client: TestClient) -> None:
    answer, body = ask(client, path_of(FONT), "br, gzip")
    assert body == FONT.read_bytes()
    assert "content-encoding" not in answer.headers and "vary" not in answer.headers
    for path in ("/media/mine.js", "/api/ready", "/none.js"):
        assert "content-encoding" not in ask(client, path, "br")[0].headers
    assert client.post(path_of(SCRIPT)).status_code == 405


@pytest.mark.parametrize(
    ("header", "best"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("GZIP;q=0.5, BR;Q=1", "br"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.000, gzip;q=0", None),
        ("*", "br"),
        ("*;q=0", None),
        ("br;q=0, *", "gzip"),
        ("bro, xgzip, zstd", None),
        ("identity", None),
        ("", None),
        (";;q=,,", None),
    ],
)
def test_the_best_accepted_encoding_is_used(header: str, best: str | None) -> None:
    assert best_encoding(header) == best


def test_concurrent_requests_compress_a_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    running, compressed = threading.Event(), []

    def slow(body: bytes) -> bytes:
        compressed.append(len(body))
        assert running.wait(10)
        return b"small"

    monkeypatch.setitem(compression.ENCODERS, "br", slow)
    files = CompressionMiddleware(StaticFiles(directory=STATIC))
    sent: list[bytes] = []

    async def send(message: dict) -> None:
        sent.append(message.get("body", b""))

    async def cancelled() -> dict:
        return {"type": "http.disconnect"}

    async def one() -> None:
        headers = [(b"accept-encoding", b"br")]
        scope = {"type": "http", "method": "GET", "path": path_of(SCRIPT), "headers": headers}
        await files(scope, cancelled, send)

    async def many() -> None:
        visitors = [asyncio.create_task(one()) for _ in range(7)]
        while not compressed:
            await asyncio.sleep(0.01)
        visitors[0].cancel()  # the first visitor disconnects
        running.set()
        await asyncio.gather(*visitors, return_exceptions=True)
        await one()

    asyncio.run(many())
    assert compressed == [SCRIPT.stat().st_size]
    assert sent.count(b"small") == 7


def test_a_changed_file_is_compressed_again(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    files = [Mount("/", StaticFiles(directory=tmp_path))]
    with TestClient(
        Starlette(routes=files, middleware=[Middleware(CompressionMiddleware)])
    ) as client:
        for text in ("one " * 1000, "other " * 1000):
            page.write_text(text)
            answer = client.get("/page.html", headers={"accept-encoding": "br"})
            assert answer.headers["content-encoding"] == "br" and answer.text == text
        answer = client.get(
            "/page.html",
            headers={"accept-encoding": "br", "if-modified-since": formatdate(2e9, usegmt=True)},
        )
        assert answer.status_code == 304
