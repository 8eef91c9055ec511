"""The sentence: where it is typed, what the models make of it, which tokens are picked."""

from collections.abc import Callable

import streamlit as st

from model.analysis.units import counterparts
from web import settings
from web.inference.compute_queue_ui import report_busy
from web.language import _, plain
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.sides import Recipe, Shown

EXAMPLES = {
    "tired": (DEFAULT_TEXT, ""),
    "wide": ("The animal didn't cross the street because it was too wide.", ""),
    "pair": ("The cat sat on the mat.", "It was warm there."),
    "mask": ("She put the book on the [MASK].", ""),
}


PICKS = ("picked", "link_query", "link_key", "masked", "next_behind")
"""Keys of the session under which pages keep indices into the tokens."""


def ask() -> bool:
    """Draw the sentence, the way to a second one, the examples; True if there is text."""
    cut_long_texts()
    with st.container(horizontal=True, key="opening"):
        box()
        beside()
    return below()


def box(on_typed: Callable[[], None] | None = None) -> None:
    """Draw the first sentence's box, its name read aloud alone.

    Args:
        on_typed: A callback, which forgets picks as well; that alone unless given.
    """
    st.text_input(
        _("Sentence"),
        key="text",
        on_change=on_typed or forget_picks,
        persist_state="session",
        label_visibility="collapsed",
        placeholder=_("Type a sentence"),
    )


def beside() -> None:
    """Draw what stands in one row with the box: a second sentence's button, and the examples."""
    opened = _has_second()
    st.button(
        "",
        icon=":material/remove:" if opened else ":material/add:",
        key="second",
        help=_("Only one sentence") if opened else _("Add a second sentence"),
        on_click=_close_second if opened else _open_second,
    )
    with st.popover(_("Examples"), key="examples"):
        offer_examples()


def below() -> bool:
    """Draw the second sentence if there is one, and ask for a first; True if there is text."""
    if _has_second():
        st.session_state["second_open"] = True  # emptied, it stays where somebody types
        st.text_input(
            _("Second sentence (optional)"),
            key="pair",
            on_change=forget_picks,
            persist_state="session",
            label_visibility="collapsed",
            placeholder=_("A second sentence, for models that read pairs"),
        )
    if given():
        return True
    st.info(_("Type a sentence above, or take one of the examples."))
    return False


def _has_second() -> bool:
    return st.session_state.get("second_open", False) or bool(st.session_state["pair"].strip())


def _open_second() -> None:
    """A callback."""
    st.session_state["second_open"] = True


def _close_second() -> None:
    """A callback: without its box, the second sentence must not go on being read."""
    st.session_state["second_open"] = False
    if st.session_state["pair"]:
        st.session_state["pair"] = ""
        forget_picks()


def cut_long_texts() -> bool:
    """Keep of every text what a model could read at most, and say what was left out; if any was.

    To be called before anything asks for a text: it becomes a key of every cache.
    """
    most, cut = settings.now().characters, False
    for key in ("text", "pair"):
        text = st.session_state.get(key) or ""
        if len(text) > most:
            st.session_state[key], cut = text[:most], True
            st.warning(
                _(
                    "Too long: a sentence has room for {most:,} characters here, and the last "
                    "{count:,} were left out."
                ).format(most=most, count=len(text) - most)
            )
    return cut


def fits() -> bool:
    """Whether there is a sentence, and all of it is taken."""
    return given() and len(st.session_state["text"]) <= settings.now().characters


def given() -> bool:
    """Whether there is a sentence."""
    return bool(st.session_state["text"].strip())


def offer_examples() -> None:
    """Draw the examples as pills that fill the boxes."""
    names = {
        "tired": _("… too tired"),
        "wide": _("… too wide"),
        "pair": _("A pair"),
        "mask": _("A [MASK]"),
    }
    st.pills(
        _("Examples"),
        list(EXAMPLES),
        format_func=lambda name: plain(names[name]),
        key="example",
        on_change=_take_example,
        label_visibility="collapsed",
    )


def _take_example() -> None:
    example = st.session_state["example"]
    if example is not None:
        st.session_state["text"], st.session_state["pair"] = EXAMPLES[example]
        st.session_state["second_open"] = bool(st.session_state["pair"])
        st.session_state["example"] = None
        forget_picks()


def forget_picks() -> None:
    """Indices into the old tokens mean nothing among new ones; a callback."""
    for key in PICKS:
        if key in st.session_state:
            st.session_state[key] = []


def picked(shown: Shown, left: Shown) -> list[int]:
    """The picked units of a side.

    Picks are kept as indices into the left side's units; where the right side's tokens differ,
    the units that share characters with them are meant.
    """
    ours = [i for i in st.session_state["picked"] if i < len(left.units)]
    return list(counterparts(ours, left.units, shown.units)) if shown is not left else ours


def pick_from(component: str, side: Recipe, left_side: Recipe) -> None:
    """Remember the units that a component says are picked; a callback."""
    pick(st.session_state[component].picked, side, left_side)


@report_busy
def pick(indices: list[int], side: Recipe, left_side: Recipe) -> None:
    """Remember picked units, and repaint the details alone: nothing else depends on them."""
    shown, left = side.show(), left_side.show()
    valid = [i for i in indices if isinstance(i, int) and 0 <= i < len(shown.units)]
    if shown.side != left.side:
        valid = list(counterparts(valid, shown.units, left.units))
    st.session_state["picked"] = valid
    st.rerun("details")
