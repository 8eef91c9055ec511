"""Text boxes of the sentence, and the picked tokens."""

from collections.abc import Callable

import streamlit as st

from web import settings
from web.language import _
from web.view_state.parameters import View


def first_box(on_typed: Callable[[], None] | None = None) -> None:
    """Draw the box of the first sentence; ``on_typed`` clears the picks, as the default does."""
    View.text.draw(on_change=on_typed or clear_picks, placeholder=_("Type a sentence"))


def second_button(label: str = "") -> None:
    """Draw the button that opens or closes the second sentence; without a label only closes it."""
    opened = _has_second()
    if not (label or opened):
        return

    def toggle() -> None:
        st.session_state["second_open"] = not opened
        if opened and st.session_state["pair"]:
            st.session_state["pair"] = ""
            clear_picks()

    st.button(
        label,
        icon=":material/remove:" if opened else ":material/add:",
        key="second",
        help=_("Only one sentence") if opened else _("Add a second sentence"),
        on_click=toggle,
    )


def second_box() -> bool:
    """Draw the second sentence if it is open, or a hint if there is no text."""
    if _has_second():
        st.session_state["second_open"] = True  # the box stays open when its text is deleted
        View.pair.draw(
            on_change=clear_picks, placeholder=_("Second sentence, for models that read pairs")
        )
    if has_text():
        return True
    st.info(_("Type a sentence."))
    return False


def _has_second() -> bool:
    return st.session_state.get("second_open", False) or bool(st.session_state["pair"].strip())


def cut_long_texts() -> bool:
    """Cut texts that are too long, with a warning, before they become part of a cache key."""
    most, cut = settings.now().characters, False
    for key in ("text", "pair"):
        text = st.session_state.get(key) or ""
        if len(text) > most:
            st.session_state[key], cut = text[:most], True
            st.warning(
                _(
                    "Too long: a sentence can have {most:,} characters. The last {count:,} "
                    "were removed."
                ).format(most=most, count=len(text) - most)
            )
    return cut


def fits() -> bool:
    """Whether there is a sentence within the length limit."""
    return has_text() and len(st.session_state["text"]) <= settings.now().characters


def has_text() -> bool:
    """Whether there is a sentence."""
    return bool(st.session_state["text"].strip())


def clear_picks() -> None:
    """A callback: clear indices into the tokens of the previous sentence."""
    for key in ("picked", "link_query", "link_key", "masked", "next_after"):
        if key in st.session_state:
            st.session_state[key] = []
