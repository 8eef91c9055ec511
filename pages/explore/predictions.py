"""What a model would put in place of ``[MASK]``; of a decoder, what it says next."""

import pandas as pd
import streamlit as st

from model.capture.whitespace import show_line_breaks, show_whitespace
from web.cache import captures, loaded_models
from web.language import _, plain
from web.widgets import present
from web.widgets.model_name import model_name
from web.widgets.sides import SideRequest
from web.widgets.tables import cells

TOP = 10

HEIGHT = 200
"""Pixels of a table: no more than the overview beside it, the rest is scrolled to."""

PROJECTED = 8
"""Rows of a table on a projector: where there is room for no more, and nobody scrolls."""

NEXT = 6
"""Tokens of a decoder: as many as stand in a line."""


def said_next(request: SideRequest) -> None:
    """Draw the most probable next tokens behind the sentence, in a line: heads need the width."""
    found = captures.next_tokens(request.model, request.text)[:NEXT]
    best = [
        f"**{plain(said)}** {p:.4f}" for said, (_token, p) in zip(_read(found), found, strict=True)
    ]
    st.caption(
        _("Next, says {model}: {tokens}").format(
            model=plain(model_name(request.model)), tokens=" · ".join(best)
        )
    )


def _read(found: list[tuple[str, float]]) -> list[str]:
    """Tokens as a person reads them: without the space that most begin with, unless it tells."""
    spaced = [show_whitespace(token) for token, _probability in found]
    short = [show_line_breaks(token).strip() for token, _probability in found]
    return short if len(set(short)) == len(short) else spaced


def predictions(request: SideRequest) -> None:
    """Draw the most probable tokens for every mask of the sentence, if it has one."""
    model = loaded_models.loaded_model(request.model)
    capture = captures.capture(request.model, request.text, request.text_pair)
    masks = capture.tokens.count(model.mask_token)
    if not masks:
        return
    if model.masked_lm is None:
        st.caption(
            _("{model} has no masked-language head: it cannot say what {mask} hides.").format(
                model=plain(model_name(model.name)), mask=f"`{model.mask_token}`"
            )
        )
        return
    found = captures.mask_predictions(request.model, request.text, request.text_pair, TOP)
    st.caption(
        _("What {model} would put in place of {mask}").format(
            model=plain(model_name(model.name)), mask=f"`{model.mask_token}`"
        )
    )
    with present.off_stage(f"predicted_{request.side}"):
        for number, best in enumerate(found, start=1):
            if masks > 1:
                st.caption(f"`{model.mask_token} {number}`")
            _table(best)
    with present.on_stage(f"predicted_{request.side}"):
        _projected(found)


def _table(best: list[tuple[str, float]]) -> None:
    st.dataframe(
        cells(pd.DataFrame(best, columns=["token", "probability"])),
        hide_index=True,
        height=HEIGHT,
        alt=_("Tokens by probability"),
        column_config={
            "token": st.column_config.TextColumn(_("token")),
            "probability": st.column_config.ProgressColumn(
                _("probability"), format="%.4f", min_value=0.0, max_value=1.0
            ),
        },
    )


def _projected(found: list[list[tuple[str, float]]]) -> None:
    """Draw the first of them in a table without scrolling, and by number where masks are many."""
    rows = [
        (str(number), plain(token), f"{probability:.4f}")
        for number, best in enumerate(found[:PROJECTED], start=1)
        for token, probability in best[: max(PROJECTED // len(found), 1)]
    ]
    table = pd.DataFrame(rows if len(found) > 1 else [row[1:] for row in rows])
    st.table(
        table,
        border="horizontal",
        hide_index=True,
        hide_header=True,
        alt=_("Tokens by probability"),
    )
