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


async def _component(request: Request) -> Response:
    # Registers the components, which needs Streamlit's server to be there.
    from pages.components import CHART_JS, CHART_URL, PRESENT_JS, PRESENT_URL

    url = request.url.path
    text = {CHART_URL: CHART_JS, PRESENT_URL: PRESENT_JS}.get(url)
    if text is None:  # of another version: what it named is gone
        return PlainTextResponse("Not found", status_code=404)
    tagged = {**FOR_EVER, "ETag": f'"{url}"'}  # without a tag, nothing is compressed
    return Response(text, media_type="text/javascript", headers=tagged)


ROUTES = [
    Route(PLOTLY_URL, _plotly),
    *(Route(f"/api/{name}-{{version}}.js", _component) for name in ("chart", "present")),
]
