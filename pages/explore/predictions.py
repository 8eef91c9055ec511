"""Predictions at ``[MASK]``, or a decoder's predictions of the next token."""

import streamlit as st

from model.capture.whitespace import show_line_breaks, show_whitespace
from viz.style.labels import percent
from web.cache import captures, loaded_models
from web.language import _, plain
from web.model_name import model_name
from web.subject import Subject
from web.widgets.tables import share_table

TOP = 10

HEIGHT = 200
"""Height of a table in pixels: at most the overview's; longer tables scroll."""

NEXT = 6
"""Number of a decoder's predicted tokens, which fit on one line."""


def next_tokens(request: Subject) -> None:
    """Draw the most probable next tokens in one line, because the heads need the width."""
    found = captures.next_tokens(request.model, request.text)[:NEXT]
    best = [
        f"**{plain(text)}** {percent(p)}"
        for text, (_token, p) in zip(_readable(found), found, strict=True)
    ]
    st.caption(
        _("Next token by {model}: {tokens} …").format(
            model=plain(model_name(request.model)), tokens=" · ".join(best)
        )
    )


def _readable(found: list[tuple[str, float]]) -> list[str]:
    """Return tokens without their leading space, unless two would be equal then."""
    spaced = [show_whitespace(token) for token, _probability in found]
    short = [show_line_breaks(token).strip() for token, _probability in found]
    return short if len(set(short)) == len(short) else spaced


def predictions(request: Subject) -> None:
    """Draw the most probable tokens for each mask of the sentence."""
    model = loaded_models.loaded_model(request.model)
    capture = captures.capture(request.model, request.text, request.text_pair)
    masks = capture.tokens.count(model.mask_token)
    if not masks:
        return
    if model.masked_lm is None:
        st.caption(
            _("{model} has no masked-language head, so it cannot predict {mask}.").format(
                model=plain(model_name(model.name)), mask=f"`{model.mask_token}`"
            )
        )
        return
    found = captures.mask_predictions(request.model, request.text, request.text_pair, TOP)
    st.caption(
        _("{model}'s {count} best predictions for {mask}").format(
            model=plain(model_name(model.name)), count=TOP, mask=f"`{model.mask_token}`"
        )
    )
    for number, best in enumerate(found, start=1):
        if masks > 1:
            st.caption(f"`{model.mask_token} {number}`")
        tokens, probabilities = zip(*best, strict=True)
        columns = {_("token"): tokens, _("probability"): probabilities}
        share_table(columns, _("Tokens by probability"), height=HEIGHT)
