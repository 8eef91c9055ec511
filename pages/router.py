"""Which pages there are. Streamlit runs this on every visit, then the page itself."""

from pathlib import Path

import streamlit as st

from pages.common.i18n import _

ASSETS = Path(__file__).parent / "assets"

st.set_page_config(page_title="Headlight", page_icon=str(ASSETS / "icon.svg"), layout="wide")
st.logo(str(ASSETS / "logo.svg"), size="large")
st.html(ASSETS / "page.css")

st.navigation(
    [
        st.Page("explore.py", title=_("Explore"), icon=":material/visibility:", default=True),
        st.Page("about.py", title=_("About"), icon=":material/info:", url_path="about"),
    ],
    position="top",
).run()
