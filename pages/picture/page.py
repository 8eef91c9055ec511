"""The Model page: the whole model as one picture, from the whole to one product."""

import streamlit as st

from model import HeadlightError
from pages.picture import head, layer, score, whole
from pages.picture.form import draw_form
from pages.picture.path import legend, path
from pages.picture.subject import Subject
from pages.picture.url import Reader, parameters
from viz.style.theme import SIDE_RGB
from web import components
from web.language import _, in_words, plain
from web.model_name import model_name
from web.view_state import address
from web.widgets import present

DRAW = {"whole": whole.whole, "layer": layer.layer, "head": head.head, "score": score.score}


def main() -> None:
    """Draw the page from top to bottom."""
    known = parameters()
    address.restore(known)
    subject = draw_form(known)
    if subject is not None:
        try:
            _picture(subject)
        except HeadlightError as error:  # a part of the model is unknown
            st.info(plain(in_words(error)))
        present.caption_line(model_name(subject.model), subject.text)
    address.keep(known)


def _picture(subject: Subject) -> None:
    zoom = Reader.zoom.value
    with present.stage("picture"):
        components.picture(
            {
                "zoom": zoom,
                "low": SIDE_RGB["left"],
                "high": SIDE_RGB["right"],
                "hue": SIDE_RGB[subject.side],
                "path": [box.payload() for box in path(subject, zoom)],
                "scale": legend(subject, zoom),
                "texts": subject.texts(),
                "boxes": [box.payload() for box in DRAW[zoom](subject)],
                "strings": {
                    "path": _("Where you are in the model"),
                    "negative": _("negative"),
                    "positive": _("positive"),
                },
            },
            key="picture",
        )


main()
