"""Routes for files that a browser may cache forever: Plotly, component scripts and the logo.

Their URLs contain a version or a hash. This module imports nothing heavy, so that the server
answers in its first second.
"""

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

FULL_PLOTLY = Path(str(files("plotly"))) / "package_data" / "plotly.min.js"
"""The bundle of the Python package, which includes maps and 3D charts."""

CARTESIAN_PLOTLY = (
    Path(__file__).parents[2]
    / "node_modules"
    / "plotly.js-cartesian-dist-min"
    / "plotly-cartesian.min.js"
)
"""A third of the full bundle, with all chart types that the figures use; only npm has it."""


def choose_plotly(full: Path, partial: Path) -> Path:
    """The partial bundle if it exists in the full bundle's version, otherwise the full one.

    With one version, figures look the same in a notebook.
    """
    return partial if partial.is_file() and _version(partial) == _version(full) else full


def _version(file: Path) -> str:
    with file.open(encoding="utf-8") as opened:
        found = re.search(r"plotly\.js .*v([\d.]+)", opened.read(500))
    return found[1] if found else ""


PLOTLY = choose_plotly(FULL_PLOTLY, CARTESIAN_PLOTLY)

PLOTLY_URL = f"api/{PLOTLY.name.partition('.')[0]}-{_version(PLOTLY)}.js"

IMMUTABLE = {"Cache-Control": "public, max-age=31536000, immutable"}


async def _plotly(request: Request) -> Response:
    return FileResponse(PLOTLY, media_type="text/javascript", headers=IMMUTABLE)


async def _component(request: Request) -> Response:
    # Registers the components, which requires Streamlit's runtime.
    from web.components import SCRIPTS

    url = request.url.path.lstrip("/")
    if url not in SCRIPTS:  # a script of another version
        return PlainTextResponse("Not found", status_code=404)
    headers = {**IMMUTABLE, "ETag": f'"{url}"'}
    return Response(SCRIPTS[url], media_type="text/javascript", headers=headers)


async def _logo(request: Request) -> Response:
    return FileResponse(LOGO, headers=IMMUTABLE)


LOGO = Path(__file__).parents[1] / "assets" / "logo.svg"

# Streamlit takes a string for the URL of an image if it starts like this. It would send an image
# file with every run.
LOGO_URL = f"/app/static/logo-{sha256(LOGO.read_bytes()).hexdigest()[:8]}.svg"

ROUTES = [
    Route(f"/{PLOTLY_URL}", _plotly),
    Route(LOGO_URL, _logo),
    Route("/api/components/{script}", _component),
]
