"""Which pages there are. Streamlit runs this on every visit, then the page itself."""

import streamlit as st

from pages.common.i18n import _

st.set_page_config(page_title="Headlight", page_icon=":material/flare:", layout="wide")

st.navigation(
    [
        st.Page("explore.py", title=_("Explore"), icon=":material/visibility:", default=True),
        st.Page("about.py", title=_("About"), icon=":material/info:", url_path="about"),
    ],
    position="top",
).run()
