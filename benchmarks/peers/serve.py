"""Serves the page with the peers' views, with the product's server settings: ``serve PORT``."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.peers import scripts, views


def main(port: int) -> None:
    """Load both models, then serve on the loopback interface until terminated."""
    sources = scripts.fetch()

    def script(request: Request) -> Response:
        # A user's browser caches these scripts between sentences, so this one does too.
        return Response(
            sources[request.path_params["name"]],
            media_type="text/javascript",
            headers={"Cache-Control": "public, max-age=31536000, immutable"},
        )

    for layers in (6, 12):
        views.load(layers)
    gc.collect()
    gc.freeze()

    page = Path(__file__).parent / "apps" / "page.py"
    app = st.App(page, routes=[Route("/scripts/{name}", script)])
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        log_level="warning",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
