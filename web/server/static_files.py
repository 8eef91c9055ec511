"""Routes for files that browsers cache forever; imports nothing heavy, to answer at once."""

from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from web.plotly_bundle import PLOTLY, plotly_version

PLOTLY_URL = f"api/{PLOTLY.name.partition('.')[0]}-{plotly_version(PLOTLY)}.js"

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
