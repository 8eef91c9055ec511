"""Constant files in memory, the choice of Plotly's bundle, and the icon font."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import FileResponse, Response
from starlette.testclient import TestClient
from starlette_compress import CompressMiddleware
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from web.plotly_bundle import FULL_PLOTLY, choose_plotly
from web.server import icon_font, static_files
from web.server.cached_files import CachedFilesMiddleware
from web.server.icon_font import IconFontMiddleware, ligatures

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def client() -> TestClient:
    kinds = (IconFontMiddleware, CachedFilesMiddleware, CompressMiddleware)
    routes = [*static_files.ROUTES, *create_streamlit_static_assets_routes("")]
    return TestClient(Starlette(routes=routes, middleware=[*map(Middleware, kinds)]))


@pytest.mark.parametrize("encoding", ["br", "gzip", "identity"])
def test_a_file_that_never_changes_is_read_and_compressed_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    (file,) = (icon_font.STATIC / "js").glob("TextInput.*.js")
    asking, url = {"accept-encoding": encoding}, f"/static/js/{file.name}"
    first = client.get(url, headers=asking)
    assert first.headers.get("content-encoding", "identity") == encoding
    for more in ({"if-none-match": first.headers["etag"]}, {"range": "bytes=3-7"}):
        assert client.get(url, headers=asking | more).status_code in (304, 206)
    monkeypatch.setattr(FileResponse, "__call__", None)
    kept = client.get(url, headers=asking)
    assert kept.content == file.read_bytes() == first.content
    assert kept.headers == {**first.headers, "content-length": kept.headers["content-length"]}


def test_a_visitors_file_is_not_kept() -> None:
    private = Response("mine", headers={"cache-control": "private, immutable"})
    cached = CachedFilesMiddleware(private)
    assert TestClient(cached).get("/mine").text == "mine" and not cached._files


def test_the_partial_plotly_is_used_if_its_version_matches(tmp_path: Path) -> None:
    version = re.search(r"plotly\.js v([\d.]+)", FULL_PLOTLY.read_text("utf-8")[:500])
    assert version
    part = tmp_path / "part.js"
    assert choose_plotly(FULL_PLOTLY, part) == FULL_PLOTLY  # there is none
    for number, chosen in ((version[1], part), (f"{version[1]}.1", FULL_PLOTLY)):
        part.write_text(f"/**\n* plotly.js (cartesian - minified) v{number}\n*/", "utf-8")
        assert choose_plotly(FULL_PLOTLY, part) == chosen


def test_the_icon_font_has_the_used_icons_and_few_others(client: TestClient) -> None:
    (file,) = (icon_font.STATIC / "media").glob("MaterialSymbols-Rounded.*")
    answer = client.get(f"/static/media/{file.name}")
    assert len(answer.content) < 0.25 * file.stat().st_size
    with TTFont(BytesIO(answer.content)) as font:
        shown = set(ligatures(font))
    folders = (ROOT / "pages", ROOT / "web")
    pages = [text.read_text("utf-8") for folder in folders for text in folder.rglob("*.py")]
    ours = {name for text in pages for name in re.findall(r":material/(\w+):", text)}
    assert ours | {"visibility", "more_vert", "keyboard_arrow_down", "light_mode"} <= shown
    unchanged = {"if-none-match": answer.headers["etag"]}
    assert client.get(f"/static/media/{file.name}", headers=unchanged).status_code == 304
