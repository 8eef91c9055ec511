"""Scripts that a browser keeps for good: their names say what is in them.

The server imports this before anything heavy, so that it answers from its first second.
"""

from importlib.metadata import version
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

PLOTLY_URL = f"/api/plotly-{version('plotly')}.js"
"""The one that the Python package brings: a figure is the same here and in a notebook."""

FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


async def _plotly(request: Request) -> Response:
    file = files("plotly") / "package_data" / "plotly.min.js"
    return FileResponse(str(file), media_type="text/javascript", headers=FOR_EVER)


async def _chart(request: Request) -> Response:
    # Registers the components, which needs Streamlit's server to be there.
    from pages.components import CHART_JS, CHART_URL

    if request.url.path != CHART_URL:  # of another version: what it named is gone
        return PlainTextResponse("Not found", status_code=404)
    tagged = {**FOR_EVER, "ETag": f'"{CHART_URL}"'}  # without a tag, nothing is compressed
    return Response(CHART_JS, media_type="text/javascript", headers=tagged)


async def _classroom(request: Request) -> Response:
    from pages.components import CLASSROOM_CSS, CLASSROOM_JS, CLASSROOM_URL

    found = {
        f"{CLASSROOM_URL}.js": (CLASSROOM_JS, "text/javascript"),
        f"{CLASSROOM_URL}.css": (CLASSROOM_CSS, "text/css"),
    }.get(request.url.path)
    if found is None:
        return PlainTextResponse("Not found", status_code=404)
    tagged = {**FOR_EVER, "ETag": f'"{request.url.path}"'}
    return Response(found[0], media_type=found[1], headers=tagged)


ROUTES = [
    Route(PLOTLY_URL, _plotly),
    Route("/api/chart-{version}.js", _chart),
    Route("/api/classroom-{version}", _classroom),
]
