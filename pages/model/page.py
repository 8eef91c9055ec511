"""The Model page: the whole model as one picture, from the whole to one product."""

import streamlit as st

from pages.model import head, layer, score, whole
from pages.model.form import draw_form
from pages.model.subject import Subject
from pages.model.url import UNSAID, parameters
from viz.picture import Box
from viz.style.theme import SIDE_RGB
from web import components
from web.language import _
from web.view_state import address
from web.widgets import present
from web.widgets.head_picker import head_name
from web.widgets.model_name import model_name

DRAW = {"whole": whole.whole, "layer": layer.layer, "head": head.head, "score": score.score}


def main() -> None:
    """Draw the page from top to bottom."""
    known = parameters()
    for notice in address.restore(known):
        st.warning(notice)
    subject = draw_form(known)
    if subject is not None:
        _picture(subject)
        present.caption_line(model_name(subject.model), subject.text)
    address.keep(known)


def _picture(subject: Subject) -> None:
    zoom = st.session_state["zoom"]
    with present.stage("picture"):
        components.picture(
            {
                "zoom": zoom,
                "low": SIDE_RGB["left"],
                "high": SIDE_RGB["right"],
                "hue": SIDE_RGB[subject.side],
                "path": [box.payload() for box in _path(subject, zoom)],
                "scale": _scale(zoom, subject),
                "texts": subject.texts(),
                "boxes": [box.payload() for box in DRAW[zoom](subject)],
                "strings": {"path": _("Where you are in the model"), "out": _("Zoom out")},
            },
            key="picture",
        )


def _path(subject: Subject, zoom: str) -> list[Box]:
    """The links from the whole model to the current view."""
    layer_number, head_number = subject.place
    queries, keys = subject.names(subject.stack)
    names = {
        "whole": model_name(subject.model),
        "layer": _("Layer {layer}").format(layer=layer_number),
        "head": head_name(layer_number, head_number),
        "score": f"{queries[subject.query(subject.stack)]} → {keys[subject.key()]}",
    }
    until = list(names).index(zoom)
    crumbs = [
        Box("crumb", name, link=subject.link(zoom=each, key=UNSAID), current=each == zoom)
        for each, name in list(names.items())[: until + 1]
    ]
    return [*crumbs, *_neighbours(subject, zoom)]


def _neighbours(subject: Subject, zoom: str) -> list[Box]:
    """The other layers of the stack, or the other heads of the layer."""
    layer_number, head_number = subject.place
    capture = subject.captures[subject.stack]
    if zoom == "layer":
        links = {f"L{i}": subject.link(layer=i) for i in range(capture.n_layers)}
        name, current = _("Layers"), layer_number
    elif zoom in ("head", "score"):
        links = {f"H{i}": subject.link(head=i, key=UNSAID) for i in range(capture.n_heads)}
        name, current = _("Heads of layer {layer}").format(layer=layer_number), head_number
    else:
        return []
    return [
        Box(
            "neighbours",
            name,
            items=tuple(
                Box("neighbour", each, link=link, current=i == current)
                for i, (each, link) in enumerate(links.items())
            ),
        )
    ]


def _scale(zoom: str, subject: Subject) -> str:
    """Say what is drawn to scale, and what the colours mean."""
    if zoom == "whole":
        sentences = [
            _("Areas show the number of parameters. Select any box to zoom in."),
            _(
                "In a layer, each small box is a head. Its colour shows the largest weight that "
                "the selected token gives."
            ),
        ]
        if subject.stream is not None:
            sentences.append(_("“Length” is the length of the token's vector after the layer."))
        if subject.lens is not None:
            sentences.append(_("“Predicts” shows what the model would predict after that layer."))
        if subject.translation is not None:
            sentences.append(_("The second group of heads in the decoder is cross-attention."))
        return " ".join(sentences)
    if zoom == "layer":
        order = (
            _("Post-norm: a norm follows each sum.")
            if subject.sizes.norm_placement == "post"
            else _("Pre-norm: a norm comes before each part.")
        )
        return _("Widths show how many numbers a vector has.") + " " + order
    return _("Blue is positive, orange is negative. A stronger colour is further from 0.")


main()
