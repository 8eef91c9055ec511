"""The changed index page at every page's URL; other files are unchanged."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from starlette_compress import CompressMiddleware
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from web.server.index_page import INDEX, IndexPageMiddleware


@pytest.fixture
def client() -> TestClient:
    middleware = [Middleware(CompressMiddleware), Middleware(IndexPageMiddleware)]
    routes = create_streamlit_static_assets_routes("")
    return TestClient(Starlette(routes=routes, middleware=middleware))


FIRST_RULE = ".stMainBlockContainer { padding: 3.8rem 2.4rem 2rem;"  # of page.css


@pytest.mark.parametrize("encoding", ["br", "identity"])
def test_the_page_has_title_and_styles_before_scripts_run_and_can_be_cached(
    client: TestClient, encoding: str
) -> None:
    asking = {"accept-encoding": encoding}
    answer = client.get("/", headers=asking)
    assert "<title>Headlight</title>" in answer.text
    assert answer.text.count(FIRST_RULE) == 1
    assert "Streamlit</title>" not in answer.text
    assert answer.text.index("<style>html{background:#") < answer.text.index("</head>")
    assert answer.text.index("</head>") < answer.text.index(FIRST_RULE)
    assert answer.headers["cache-control"] == "no-cache"
    # Streamlit's content is still in the page.
    assert answer.text.count("modulepreload") == INDEX.read_text("utf-8").count("modulepreload")
    again = client.get("/", headers={**asking, "if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/", headers={**asking, "if-none-match": '"other"'}).status_code == 200
    assert client.get("/favicon.png").content == (INDEX.parent / "favicon.png").read_bytes()
