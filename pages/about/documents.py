"""Documents that ship with Headlight: licence, notice, model card."""

import re
from functools import cache
from pathlib import Path

import streamlit as st

from web.language import _

ROOT = Path(__file__).parents[2]


def documents() -> None:
    """Draw each document in an expander."""
    st.subheader(_("Licences and documents"), anchor="licences")
    titles = {
        "model/weights/README.md": _("Model card of scratch: every text, licence and number"),
        "model/atlases/README.md": _("What heads do over a corpus: the treebank and the method"),
        "NOTICE": _("Third-party parts and their licences"),
        "LICENSE": _("Headlight's own licence, Apache-2.0"),
    }
    for file, title in titles.items():
        with st.expander(f"{title} · `{file}`", icon=":material/description:"):
            if file.endswith(".md"):
                st.markdown(_read(file))
            else:
                st.code(_read(file), language=None, wrap_lines=True)


@cache
def _read(file: str) -> str:
    """Return a document with lowered headings and without links to files."""
    text = (ROOT / file).read_text("utf-8")
    if not file.endswith(".md"):
        return text
    lowered = re.sub(r"^(#{1,3}) ", r"###\1 ", text, flags=re.MULTILINE)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", lowered)
