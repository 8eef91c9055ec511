"""Start here: three steps on the living page for somebody's first visit."""

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from web import components
from web.language import _, cached_per_language
from web.view_state.address import link
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.sentence_box import has_text

PREVIOUS_TOKEN_HEAD = {"layer": 1, "head": 10}
"""Of scratch. The most similar head of minilm has another number."""


def start() -> None:
    """Draw the steps; the browser hides them unless this is its first visit."""
    texts = _texts()
    *steps, last = texts["steps"]
    found = st.session_state.get("similar_found")
    if found:  # on a phone, its place below the button is off the screen
        last = {**last, "seen": f"{last['seen']} {found['text']}"}
    components.start({**texts, "steps": [*steps, last], "links": _links()}, on_acted=_act)


def _links() -> dict[str, str]:
    visit = link({})
    query = f"?{urlencode(visit)}" if visit else ""
    return {page: f"/{page}{query}" for page in ("about", "lessons")}


DEFAULT_IT = 10
"""Position of "it" in the default text."""


def _act() -> None:
    """A callback: do what the step asks for."""
    state = st.session_state
    step = state["start"].acted["step"]
    if not has_text():
        return
    if step == 1:
        # "it" of the default text, which the caption names; else the first word, after [CLS].
        state["picked"] = [DEFAULT_IT if state["text"] == DEFAULT_TEXT else 1]
    elif step == 2:
        state.update(PREVIOUS_TOKEN_HEAD)


@cached_per_language
def _texts() -> dict[str, Any]:
    return {
        "steps": [
            {
                "say": _("A model reads tokens: words and parts of words. Select a token."),
                "act": _("Do it for me"),
                "seen": _(
                    "Two frames: the row shows where this token attends, the column shows "
                    "which tokens attend to it."
                ),
            },
            {
                "say": _("Each small square is one attention head. Select a square."),
                "act": _("Do it for me"),
                "seen": _("The large maps show this head: each row is a token that attends."),
            },
            {
                "say": _(
                    "Heads with the same name in two models are not related. Select *Find similar "
                    "head*."
                ),
                "act": _("Do it for me"),
                "seen": _("The other model's map now shows its most similar head."),
            },
        ],
        "end": _("These were the three steps. Short lessons go on from here."),
        "strings": {
            "name": _("Start here (5 minutes)"),
            "what": _("Headlight shows what every attention head does with your sentence."),
            "about": _("What is attention?"),
            "next": _("Next"),
            "lessons": _("To the lessons"),
            "close": _("Close; the question mark at the top opens it again"),
        },
    }
