"""The About page: attention, models, training, parameters and licences."""

import streamlit as st

from pages.about.attention import attention
from pages.about.documents import documents
from pages.about.models import models
from pages.about.sizes import sizes
from pages.about.training import training
from pages.about.url import Sizes
from web.language import _
from web.view_state import address


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(Sizes.fields)
    sections = {
        "attention": _("What attention is"),
        "models": _("Models"),
        "training": _("How scratch was trained"),
        "sizes": _("Where the parameters are"),
        "licences": _("Licences and documents"),
    }
    st.markdown(" · ".join(f"[{title}](#{anchor})" for anchor, title in sections.items()))
    attention()
    models()
    training()
    sizes()
    documents()


main()
