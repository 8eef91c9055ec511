"""The symbols on buttons, without the thousands that nothing here shows.

Streamlit's font of them holds all 4,000, 0.37 MB that travel before the overviews. Kept are those
whose name stands in quotes or behind ``:material/``, anywhere in Streamlit's scripts or in our
pages: some hundreds, 0.05 MB.
"""

import asyncio
import logging
import re
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

STATIC = Path(st.__file__).parent / "static" / "static"
PAGES = Path(__file__).parents[1]

AT = "/static/media/MaterialSymbols-Rounded."
"""Where Streamlit's page asks for the font; behind it come a hash and ``.woff2``."""

NAMED = re.compile(r"""["'`](\w+)["'`]|:material/(\w+):""")

log = logging.getLogger(__name__)
_one_at_a_time = Lock()


class Symbols:
    """The application behind it, with a smaller font of symbols at the font's own address."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the smaller font, anything else as it is; as ASGI asks for it."""
        if scope["type"] != "http" or not scope["path"].startswith(AT):
            await self.app(scope, receive, send)
            return
        body = await asyncio.to_thread(font)
        # Asked for anew each time: its address stays the same when a page shows another symbol.
        headers = {"Cache-Control": "no-cache", "ETag": f'"{sha256(body).hexdigest()[:16]}"'}
        if Headers(scope=scope).get("if-none-match") == headers["ETag"]:
            answer = Response(status_code=304, headers=headers)
        else:
            answer = Response(body, media_type="font/woff2", headers=headers)
        await answer(scope, receive, send)


def font() -> bytes:
    """The font with the symbols that may be shown, as WOFF2; made once, in a second of a core."""
    with _one_at_a_time:
        return _font()


@cache
def _font() -> bytes:
    (file,) = (STATIC / "media").glob(f"{Path(AT).name}*.woff2")
    try:
        return _cut(file)
    except Exception:
        # Symbols of another make than expected are sent whole, and shown all the same.
        log.warning("The symbols' font could not be made smaller", exc_info=True)
        return file.read_bytes()


def _cut(file: Path) -> bytes:
    # Half a second to import, for this once.
    from fontTools import subset
    from fontTools.ttLib import TTFont

    whole = TTFont(file)
    glyphs = ligatures(whole)
    shown = named() & glyphs.keys()
    subsetter = subset.Subsetter(subset.Options(layout_closure=False, layout_features=["*"]))
    subsetter.populate(glyphs=[glyphs[name] for name in shown], text="".join(shown))
    subsetter.subset(whole)
    whole.flavor = "woff2"
    whole.save(out := BytesIO())
    return out.getvalue()


def named() -> set[str]:
    """Whatever may be a symbol's name: of ten thousand words, a few hundred are one."""
    files = [*(STATIC / "js").glob("*.js"), *PAGES.rglob("*.py")]
    found = (NAMED.findall(file.read_text("utf-8")) for file in files)
    return {quoted or marked for each in found for quoted, marked in each}


def ligatures(font: Any) -> dict[str, str]:
    """The glyph that stands for each name: a font of symbols has them as ligatures of letters."""
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
