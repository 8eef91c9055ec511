"""Serve the product with an empty page beside it: ``python -m benchmarks.serve PORT``.

Behind the port, what ``python app.py`` takes.
"""

import sys
from pathlib import Path

import streamlit as st

import app
from pages.shared import settings

if __name__ == "__main__":
    to = settings.of_command_line(["--port", *sys.argv[1:]])
    settings.use(to)
    router = Path(__file__).resolve().parent / "site" / "router.py"
    product_and_floor = st.App(
        router, lifespan=app.lifespan, routes=app.ROUTES, middleware=app.MIDDLEWARE
    )
    if to.workers == 1:
        app.serve(product_and_floor, to.address, to.port)
    else:
        app.serve_by_several(product_and_floor, to.address, to.port, to.workers)
