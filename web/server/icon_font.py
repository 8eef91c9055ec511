"""Middleware that serves Streamlit's icon font without the icons that no page shows.

The font has 4,000 icons and 0.37 MB; the subset has 0.05 MB: the icons whose name occurs in quotes
or after ``:material/`` in Streamlit's scripts or in this project's Python files.
"""

import asyncio
import logging
import re
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

from web.server.index_page import tagged

STATIC = Path(st.__file__).parent / "static" / "static"
SOURCES = Path(__file__).parents[2]

FONT_PATH = "/static/media/MaterialSymbols-Rounded."
"""Start of the font's path on Streamlit's server; a hash and ``.woff2`` follow."""

NAME = re.compile(r"""["'`](\w+)["'`]|:material/(\w+):""")

log = logging.getLogger(__name__)


class IconFontMiddleware:
    """Sends the subset for the font's path."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request."""
        if scope["type"] != "http" or not scope["path"].startswith(FONT_PATH):
            await self.app(scope, receive, send)
            return
        body = await asyncio.to_thread(font)
        # The path stays the same when a page shows another icon, so browsers must revalidate.
        response = tagged(scope, body, "font/woff2", "no-cache")
        await response(scope, receive, send)


@cache
def font() -> bytes:
    """The subset as WOFF2; computed once per process, in a second of a core."""
    (file,) = (STATIC / "media").glob(f"{Path(FONT_PATH).name}*.woff2")
    try:
        return _subset(file)
    except Exception:
        # A font of an unexpected format is sent whole.
        log.warning("The icon font could not be made smaller", exc_info=True)
        return file.read_bytes()


def _subset(file: Path) -> bytes:
    # Imported here: it takes half a second.
    from fontTools import subset
    from fontTools.ttLib import TTFont

    whole = TTFont(file)
    glyphs = ligatures(whole)
    shown = names_in_sources() & glyphs.keys()
    subsetter = subset.Subsetter(subset.Options(layout_closure=False, layout_features=["*"]))
    subsetter.populate(glyphs=[glyphs[name] for name in shown], text="".join(shown))
    subsetter.subset(whole)
    whole.flavor = "woff2"
    whole.save(out := BytesIO())
    return out.getvalue()


def names_in_sources() -> set[str]:
    """All words that could be an icon's name; a few hundred of ten thousand are."""
    files = [
        *(STATIC / "js").glob("*.js"),
        *(file for folder in ("pages", "web") for file in (SOURCES / folder).rglob("*.py")),
    ]
    found = (NAME.findall(file.read_text("utf-8")) for file in files)
    return {quoted or marked for each in found for quoted, marked in each}


def ligatures(font: Any) -> dict[str, str]:
    """Glyph by icon name: an icon font stores each name as a ligature of its letters."""
    letters: dict[str, str] = {}
    for code, glyph in font.getBestCmap().items():
        letters[glyph] = chr(code).lower()  # one glyph serves both cases
    tables = (table for lookup in font["GSUB"].table.LookupList.Lookup for table in lookup.SubTable)
    return {
        "".join(letters[part] for part in (first, *ligature.Component)): ligature.LigGlyph
        for table in tables
        for first, ligatures in table.ExtSubTable.ligatures.items()
        for ligature in ligatures
    }
