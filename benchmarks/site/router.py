"""The product's pages, and an empty page on the same server for comparison (the floor)."""

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).parents[2] / "pages"

st.set_page_config(layout="wide")
st.navigation(
    [
        st.Page(PAGES / "explore/page.py", default=True),
        st.Page(PAGES / "layers/page.py", url_path="layers"),
        st.Page(PAGES / "heads/page.py", url_path="heads"),
        st.Page(PAGES / "picture/page.py", url_path="model"),
        st.Page(PAGES / "decoder/page.py", url_path="decoder"),
        st.Page(PAGES / "calculator/page.py", url_path="calculator"),
        st.Page(PAGES / "positions/page.py", url_path="positions"),
        st.Page("floor.py", url_path="floor"),
    ],
    position="top",
).run()
