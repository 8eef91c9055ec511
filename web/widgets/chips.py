"""Tokens as chips, with a warning for words beyond the model's limit."""

from functools import partial
from typing import Any

import streamlit as st

from model.analysis.align import group_by_text
from viz import Side
from viz.style.theme import rgb
from web import components
from web.cache import loaded_models
from web.language import _, ngettext, plain
from web.subject import Subject
from web.widgets.sentence_box import pick, picked


def show_tokens(left: Subject, right: Subject) -> None:
    """Draw the tokens as chips: one row if both models split the sentence alike, otherwise two.

    Two rows are aligned: tokens of the same characters are below each other.
    """
    alike = left.capture().token_ids == right.capture().token_ids and left.labels == right.labels
    sides = (left,) if alike else (left, right)
    for view in sides:
        _left_out(view)
    words: list[tuple[tuple[int, ...], ...]] = [((i,),) for i in range(len(left.units))]
    if not alike:
        words = list(group_by_text(left.units, right.units))
    components.chips(
        {
            "rows": [_row(view, left, both=alike) for view in sides],
            "words": words,
            "hint": _("Select tokens to see what they attend to and what attends to them"),
        },
        key="chips",
        on_picked=partial(_pick_chips, {view.side: view for view in sides}, left),
    )


def _pick_chips(sides: dict[Side, Subject], left_side: Subject) -> None:
    """A callback: store the picks of one side."""
    click = st.session_state["chips"].picked
    pick(click["units"], sides[click["side"]], left_side)


def _count(view: Subject, *, both: bool) -> str:
    count = len(view.capture().tokens)
    text = ngettext("{count} of {limit} token", "{count} of {limit} tokens", count)
    text = text.format(count=count, limit=loaded_models.loaded_model(view.model).most_tokens)
    return text if both else f"{view.name}: {text}"


def _left_out(view: Subject) -> None:
    for sentence in view.capture().left_out:
        if sentence.strip():
            words = sentence.split()
            begin = " ".join(words[:12])[:200] + (" …" if len(words) > 12 else "")
            st.warning(
                _too_long(view, len(words)).format(
                    heads=view.capture().n_layers * view.capture().n_heads,
                    model=plain(view.name),
                    limit=loaded_models.loaded_model(view.model).most_tokens,
                    count=len(words),
                    begin=plain(begin),
                )
            )


def _too_long(view: Subject, count: int) -> str:
    model = loaded_models.loaded_model(view.model)
    if model.most_tokens == model.max_len:
        return ngettext(
            "Too long for the model. Without this word: {begin}",
            "Too long for the model. Without the last {count} words: {begin}",
            count,
        )
    # The model reads longer texts, but the weights of all heads would need too much memory.
    return ngettext(
        "The {heads} heads of {model} are shown on at most {limit} tokens. "
        "Without this word: {begin}",
        "The {heads} heads of {model} are shown on at most {limit} tokens. "
        "Without the last {count} words: {begin}",
        count,
    )


def _row(view: Subject, left: Subject, *, both: bool) -> dict[str, Any]:
    """Return the payload of one side's chips."""
    capture = view.capture()
    chips = []
    for unit in view.units:
        ids = " ".join(str(capture.token_ids[position]) for position in unit.positions)
        sentence = (capture.text, capture.text_pair or "")[unit.segment]
        pieces = " ".join(capture.tokens[position] for position in unit.positions)
        typed = sentence[slice(*unit.span)]
        kind = ("special " if unit.special else "") + ("second" if unit.segment else "")
        chips.append(
            {"label": unit.label, "ids": ids, "title": f"{pieces} · {typed}", "kind": kind}
        )
    return {
        "side": view.side,
        "chips": chips,
        "picked": picked(view, left),
        "hue": rgb(view.side),
        "label": _("Tokens of {model}").format(model=view.name),
        "count": _count(view, both=both),
    }
