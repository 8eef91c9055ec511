"""Which pages there are. Streamlit runs this on every visit, then the page itself."""

from pathlib import Path

import streamlit as st

from pages import components
from pages.shared import address, reconnect, warm
from pages.shared.language import _

ASSETS = Path(__file__).parent / "assets"

with reconnect.drawn_before_acting():
    st.set_page_config(page_title="Headlight", page_icon=str(ASSETS / "icon.svg"), layout="wide")
    st.logo(str(ASSETS / "logo.svg"), size="large")
    st.html(ASSETS / "page.css")

    explore = st.Page(
        "explore/page.py", title=_("Explore"), icon=":material/visibility:", default=True
    )
    layers = st.Page(
        "layers/page.py", title=_("Layers"), icon=":material/layers:", url_path="layers"
    )
    heads = st.Page("heads/page.py", title=_("Heads"), icon=":material/hub:", url_path="heads")
    calculator = st.Page(
        "calculator/page.py",
        title=_("Calculator"),
        icon=":material/calculate:",
        url_path="calculator",
    )
    positions = st.Page(
        "positions/page.py",
        title=_("Positions"),
        icon=":material/straighten:",
        url_path="positions",
    )
    about = st.Page("about/page.py", title=_("About"), icon=":material/info:", url_path="about")
    page = st.navigation([explore, layers, heads, calculator, positions, about], position="top")
    if st.session_state.get("page") != page.url_path:
        st.session_state["page"] = page.url_path
        address.forget()
    if not warm.finished.is_set():
        notice = st.info(
            _("Headlight has just started and is loading its models: some seconds, this once."),
            icon=":material/hourglass_top:",
        )
        warm.start()
        warm.finished.wait()
        notice.empty()
    page.run()
    components.charts(
        {
            "svg": _("Download plot as SVG"),
            "csv": _("Download the numbers as CSV"),
            "html": _("Download as an interactive page"),
        }
    )
    components.reconnect()
