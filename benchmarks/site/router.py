"""The product's pages, and an empty page on the same server for comparison (the floor)."""

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).parents[2] / "pages"

st.set_page_config(layout="wide")
pages = [st.Page(PAGES / "explore/page.py", default=True), st.Page("floor.py", url_path="floor")]
for name in ("layers", "heads", "decoder", "calculator", "positions"):
    pages.append(st.Page(PAGES / name / "page.py", url_path=name))
pages.append(st.Page(PAGES / "picture/page.py", url_path="model"))
pages.append(st.Page(PAGES / "course/page.py", url_path="lessons"))
st.navigation(pages, position="top").run()
