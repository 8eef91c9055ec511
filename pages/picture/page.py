"""The Model page: the whole model as one picture, from the whole to one product."""

import streamlit as st

from model import HeadlightError
from pages.picture import head, layer, score, whole
from pages.picture.form import draw_form
from pages.picture.path import legend, path
from pages.picture.url import Reader, parameters
from pages.picture.view import PictureView
from viz.style.theme import SIDE_RGB, SIGN_RGB
from web import components
from web.language import _, in_words, plain
from web.view_state import address
from web.widgets import present
from web.widgets.glossary import underline_terms

SAID = {"whole": whole.said, "layer": layer.said, "head": head.said, "score": score.said}
DRAW = {"whole": whole.whole, "layer": layer.layer, "head": head.head, "score": score.score}


def main() -> None:
    """Draw the page from top to bottom."""
    known = parameters()
    address.restore(known)
    view = draw_form(known)
    if view is not None:
        try:
            _picture(view)
        except HeadlightError as error:  # a part of the model is unknown
            st.info(plain(in_words(error)))
        present.caption_line(view.subject.name, view.subject.text)
    address.keep(known)


def _picture(view: PictureView) -> None:
    zoom = Reader.zoom.value
    present.headline("headline_picture").markdown(underline_terms(SAID[zoom](view)))
    with present.stage("picture"):
        components.picture(
            {
                "zoom": zoom,
                "low": SIGN_RGB["negative"],
                "high": SIGN_RGB["positive"],
                "hue": SIDE_RGB[view.subject.hue],
                "path": [box.payload() for box in path(view, zoom)],
                "scale": underline_terms(legend(view, zoom)),
                "texts": view.texts(),
                "boxes": [box.payload() for box in DRAW[zoom](view)],
                "strings": {
                    "path": _("Where you are in the model"),
                    "negative": _("negative"),
                    "positive": _("positive"),
                },
            },
            key="picture",
        )


main()
