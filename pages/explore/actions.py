"""One row of actions for the head that was selected last."""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from pages.explore.papers import papers
from pages.explore.selection import acting_side, selected
from pages.explore.training import training_button
from pages.explore.url import Explore
from web.cache import uploaded_captures
from web.language import _, language, plain
from web.notebook import html
from web.subject import Subject
from web.view_state.address import link
from web.view_state.field import Field, write_text
from web.widgets.export import figure_tools
from web.widgets.head_picker import head_name
from web.widgets.view_code import head_code

PAGES = Path(__file__).parents[1]


def actions(left: Subject, right: Subject) -> None:
    """Draw the row."""
    subject = left if acting_side() == "left" else right
    place = selected(subject)
    with st.container(horizontal=True, vertical_alignment="center", key="actions"):
        st.caption(f"**{plain(subject.name)} · {head_name(*place)}**", width="content")
        at = {} if uploaded_captures.is_file(subject.model) else _at(subject, place)
        for page, label, icon, view in (
            ("picture", _("Look inside"), "zoom_in", {"zoom": "head", **_token(left, subject)}),
            ("heads", *_on_heads(left, right, subject, place)),
        ):
            st.page_link(
                PAGES / page / "page.py",
                label=label,
                icon=f":material/{icon}:",
                query_params=link({**at, **view}),
                disabled=not at,  # the other pages need the model
            )
        training_button((left, right))
        figure_tools(
            "head",
            head_code(subject, *place),
            subject,
            figure=f"heatmap_{subject.side}",
            papers=partial(papers, subject),
            page=partial(_page, left, right, selected(left), selected(right)),
        )


def _at(subject: Subject, place: tuple[int, int]) -> dict[str, str]:
    """Return the URL parameters of a head on a page with one model."""
    layer, head = place
    at = {"text": write_text(subject.text), "left": subject.model}
    at |= {"layer": str(layer), "head": str(head)}
    return at if subject.text_pair is None else {**at, "pair": write_text(subject.text_pair)}


def _token(left: Subject, subject: Subject) -> dict[str, str]:
    """Return the URL parameter of the picked token, if one is and this side has the same units."""
    picked = st.session_state["picked"]
    if len(picked) != 1 or left.labels != subject.labels or picked[0] >= len(subject.units):
        return {}
    return {"token": str(subject.units[picked[0]].positions[0])}


def _on_heads(
    left: Subject, right: Subject, subject: Subject, place: tuple[int, int]
) -> tuple[str, str, dict[str, str]]:
    """Return label, icon and URL parameters of a link to the Heads page.

    It switches the head off; after a selection of two words, it asks which heads link them.
    """
    view = {"left": left.model, "right": right.model, "side": subject.side}
    # The indices of the words are those of the units on screen.
    view |= _units()
    picked = st.session_state["picked"]
    if len(picked) == 2 and picked[1] < len(left.units):
        key, query = picked  # the second word looks back at the first one
        label = _("Which head links {query} to {key}?").format(
            query=plain(left.labels[query]), key=plain(left.labels[key])
        )
        words = {"part": "links", "query": str(query), "key": str(key)}
        return label, "hub", {**view, **words}
    return _("Switch off"), "toggle_off", {**view, "part": "change", "off": "{}-{}".format(*place)}


def _units() -> dict[str, str]:
    """Return the fields that decide what the units are, unless they are the defaults."""
    fields: dict[str, Field[Any]] = {"words": Explore.words, "special": Explore.special}
    return {n: f.write(f.value) for n, f in fields.items() if f.value != f.default}


def _page(
    left: Subject, right: Subject, of_left: tuple[int, int], of_right: tuple[int, int]
) -> bytes:
    """Return the interactive page of both captures. It is made after the run, without its state."""
    return html(
        left.capture(),
        right.capture(),
        left=of_left,
        right=of_right,
        language=language(),
        translate=_,
    ).encode()
