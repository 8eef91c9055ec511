"""Server of the application and of an empty page, ``floor``: ``python -m benchmarks.serve PORT``.

Takes the options of ``python app.py`` after the port.
"""

import sys
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

import app
from web import settings
from web.server import serving
from web.view_state import reconnect

FLOOR = Path(__file__).with_name("floor.py")

_navigation = st.navigation


def run(arguments: list[str]) -> None:
    """Serve both; the arguments are the port and options of ``app.py``."""
    options = settings.of_command_line(["--port", *arguments])
    settings.use(options)
    st.navigation = _with_floor
    serving.serve(app.app, options)


def _with_floor(pages: list[StreamlitPage], **options: Any) -> StreamlitPage:
    """Replace ``st.navigation``: the router draws nothing around the empty page."""
    page = _navigation([*pages, st.Page(FLOOR, url_path="floor")], **options)
    if page.url_path == "floor":
        page.run()
        reconnect.may_act()
        st.stop()
    return page


if __name__ == "__main__":
    run(sys.argv[1:])
