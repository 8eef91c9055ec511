"""Compressed files in memory, the choice of Plotly's bundle, and the icon font."""

import mimetypes
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from starlette.applications import Starlette
from starlette.middleware import Middleware
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
def client() -> Iterator[TestClient]:
    kinds = (IconFontMiddleware, CachedFilesMiddleware, CompressMiddleware)
    routes = [*static_files.ROUTES, *create_streamlit_static_assets_routes("")]
    with TestClient(Starlette(routes=routes, middleware=[*map(Middleware, kinds)])) as opened:
        yield opened


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_a_file_that_never_changes_is_compressed_once(client: TestClient, encoding: str) -> None:
    mimetypes.add_type("application/javascript", ".js")  # as Streamlit does
    (file,) = (icon_font.STATIC / "js").glob("react-dom.*.js")
    url, asking = f"/static/js/{file.name}", {"accept-encoding": f"{encoding}, zstd"}
    first = client.get(url, headers=asking)
    assert first.headers["content-encoding"] == "zstd"  # by the application
    while (kept := client.get(url, headers=asking)).headers["content-encoding"] == "zstd":
        pass  # being compressed
    assert kept.headers["content-encoding"] == encoding
    assert kept.content == file.read_bytes()
    for name in ("etag", "cache-control", "content-type", "vary"):
        assert kept.headers[name] == first.headers[name]
    assert client.head(url, headers=asking).content == b""
    unchanged = {**asking, "if-none-match": first.headers["etag"]}
    assert client.get(url, headers=unchanged).status_code == 304
    part = client.get(url, headers={**asking, "range": "bytes=3-7"})
    assert (part.status_code, part.content) == (206, file.read_bytes()[3:8])
    for _ in range(2):  # not constant
        assert client.get("/", headers=asking).headers["content-encoding"] == "zstd"


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
