"""What a browser keeps for good, scripts and the logo: the names say what is in them.

The server imports this before anything heavy, so that it answers from its first second.
"""

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

WHOLE = Path(str(files("plotly"))) / "package_data" / "plotly.min.js"
"""The one that the Python package brings, with maps and three dimensions."""

PLANE = (
    Path(__file__).parents[2]
    / "node_modules"
    / "plotly.js-cartesian-dist-min"
    / "plotly-cartesian.min.js"
)
"""What of it our figures take, a third of the whole: its makers give it to npm alone."""


def same_plotly(whole: Path, part: Path) -> Path:
    """The part, if it is there and of the whole's version: figures are the same in a notebook."""
    return part if part.is_file() and _version(part) == _version(whole) else whole


def _version(file: Path) -> str:
    with file.open(encoding="utf-8") as opened:
        found = re.search(r"plotly\.js .*v([\d.]+)", opened.read(500))
    return found[1] if found else ""


PLOTLY = same_plotly(WHOLE, PLANE)

PLOTLY_URL = f"/api/{PLOTLY.name.partition('.')[0]}-{_version(PLOTLY)}.js"

FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


async def _plotly(request: Request) -> Response:
    return FileResponse(PLOTLY, media_type="text/javascript", headers=FOR_EVER)


async def _component(request: Request) -> Response:
    # Registers the components, which needs Streamlit's server to be there.
    from pages.components import SCRIPTS

    url = request.url.path
    if url not in SCRIPTS:  # of another version: what it named is gone
        return PlainTextResponse("Not found", status_code=404)
    tagged = {**FOR_EVER, "ETag": f'"{url}"'}  # without a tag, nothing is compressed
    return Response(SCRIPTS[url], media_type="text/javascript", headers=tagged)


async def _logo(request: Request) -> Response:
    return FileResponse(LOGO, headers=FOR_EVER)


LOGO = Path(__file__).parents[1] / "assets" / "logo.svg"

# Streamlit takes a picture's address for one if it begins so; a file it would send with every run.
LOGO_URL = f"/app/static/logo-{sha256(LOGO.read_bytes()).hexdigest()[:8]}.svg"

ROUTES = [
    Route(PLOTLY_URL, _plotly),
    Route(LOGO_URL, _logo),
    Route("/api/components/{script}", _component),
]
