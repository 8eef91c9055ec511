"""Server of the application and of an empty page, ``floor``: ``python -m benchmarks.serve PORT``.

Takes the options of ``python app.py`` after the port.
"""

import sys
from pathlib import Path

import streamlit as st

import app
from web import settings
from web.server import serving


def run(arguments: list[str]) -> None:
    """Serve both; the arguments are the port and options of ``app.py``."""
    options = settings.of_command_line(["--port", *arguments])
    settings.use(options)
    router = Path(__file__).resolve().parent / "site" / "router.py"
    application = st.App(
        router, lifespan=app.lifespan, routes=app.ROUTES, middleware=app.MIDDLEWARE
    )
    serving.serve(application, options)


if __name__ == "__main__":
    run(sys.argv[1:])
