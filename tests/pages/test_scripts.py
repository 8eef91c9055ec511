"""What a browser is sent once: scripts by what is in them, a part of Plotly, symbols by name."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from pages.components import SCRIPTS
from pages.shared import scripts, symbols
from pages.shared.scripts import WHOLE, same_plotly
from pages.shared.symbols import Symbols, ligatures

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(Starlette(routes=scripts.ROUTES, middleware=[Middleware(Symbols)]))


def test_every_component_has_an_address_that_never_means_anything_else(client: TestClient) -> None:
    names = {re.fullmatch(r".*/(\w+)-[0-9a-f]{12}\.js", url)[1] for url in SCRIPTS}
    assert names == {file.parent.name for file in (ROOT / "pages/components").glob("*/*.html")}
    for url, text in SCRIPTS.items():
        answer = client.get(url)
        assert answer.content == text
        assert "immutable" in answer.headers["cache-control"]
        assert url in answer.headers["etag"]  # what has no tag is not compressed
    assert client.get(next(iter(SCRIPTS)).replace("-", "-0")).status_code == 404


@pytest.mark.parametrize(
    ("head", "taken"),
    [
        ("/**\n* plotly.js (cartesian - minified) v{}\n*/", True),
        ("/**\n* plotly.js (cartesian - minified) v{}.1\n*/", False),
        ("", False),
        (None, False),
    ],
)
def test_a_part_of_plotly_serves_if_it_is_of_the_wholes_version(
    head: str | None, taken: bool, tmp_path: Path
) -> None:
    version = re.search(r"plotly\.js v([\d.]+)", WHOLE.read_text("utf-8")[:500])
    assert version
    part = tmp_path / "part.js"
    if head is not None:
        part.write_text(head.format(version[1]), "utf-8")
    assert same_plotly(WHOLE, part) == (part if taken else WHOLE)


def test_our_figures_take_no_more_than_that_part_can_draw() -> None:
    source = "".join(file.read_text("utf-8") for file in (ROOT / "viz").rglob("*.py"))
    kinds = set(re.findall(r'"type": "(\w+)"', source)) - {"rect", "path", "line", "circle"}
    assert {"scatter", "heatmap"} <= kinds
    assert kinds <= {"scatter", "heatmap", "bar"}  # else: is it in plotly.js-cartesian?


def test_the_font_of_symbols_has_what_may_be_shown_and_little_else(client: TestClient) -> None:
    (file,) = (symbols.STATIC / "media").glob("MaterialSymbols-Rounded.*")
    answer = client.get(f"/static/media/{file.name}")
    assert len(answer.content) < 0.25 * file.stat().st_size
    with TTFont(BytesIO(answer.content)) as font:
        shown = set(ligatures(font))
    pages = [text.read_text("utf-8") for text in (ROOT / "pages").rglob("*.py")]
    ours = {name for text in pages for name in re.findall(r":material/(\w+):", text)}
    assert ours | {"visibility", "more_vert", "keyboard_arrow_down", "light_mode"} <= shown
    again = client.get(
        f"/static/media/{file.name}", headers={"if-none-match": answer.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
