"""Immutable component scripts, the choice of Plotly's bundle, and the icon font."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from web.plotly_bundle import FULL_PLOTLY, choose_plotly
from web.server import icon_font, static_files
from web.server.icon_font import IconFontMiddleware, ligatures

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(
        Starlette(routes=static_files.ROUTES, middleware=[Middleware(IconFontMiddleware)])
    )


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
