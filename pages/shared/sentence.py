"""The sentence: where it is typed, what the models make of it, which tokens are picked."""

from functools import partial

import streamlit as st

from model.analysis.units import counterparts
from model.capture.tokens import MAX_CHARACTERS
from pages import components
from pages.shared.language import _, ngettext, plain
from pages.shared.parameters import DEFAULT_TEXT
from pages.shared.recipe import Recipe, Shown
from viz import Side
from viz.style.theme import rgb

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


def box() -> None:
    """Draw the first sentence's box, its name read aloud alone."""
    st.text_input(
        _("Sentence"),
        key="text",
        on_change=forget_picks,
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


def cut_long_texts() -> None:
    """Keep of every text what a model could read at most, and say what was left out.

    To be called before anything asks for a text: it becomes a key of every cache.
    """
    for key in ("text", "pair"):
        text = st.session_state.get(key) or ""
        if len(text) > MAX_CHARACTERS:
            st.session_state[key] = text[:MAX_CHARACTERS]
            st.warning(
                _(
                    "Too long for any model: a sentence has room for {most:,} characters, and the "
                    "last {count:,} were left out."
                ).format(most=MAX_CHARACTERS, count=len(text) - MAX_CHARACTERS)
            )


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


def show_tokens(left: Shown, right: Shown, limits: dict[Side, int]) -> None:
    """Draw the tokens as chips: once if both models read the sentence alike, else twice."""
    alike = left.capture.token_ids == right.capture.token_ids and left.labels == right.labels
    for shown in (left,) if alike else (left, right):
        _left_out(shown)
        _chips(shown, left, _count(shown, limits[shown.side], both=alike))


def _count(shown: Shown, limit: int, *, both: bool) -> str:
    count = len(shown.capture.tokens)
    text = ngettext("{count} of {limit} token", "{count} of {limit} tokens", count)
    text = text.format(count=count, limit=limit)
    return text if both else f"{shown.name}: {text}"


def _left_out(shown: Shown) -> None:
    for sentence in shown.capture.left_out:
        if sentence.strip():
            words = sentence.split()
            begin = " ".join(words[:12])[:200] + (" …" if len(words) > 12 else "")
            st.warning(
                ngettext(
                    "Too long for the model: this word was left out: {begin}",
                    "Too long for the model: the last {count} words were left out: {begin}",
                    len(words),
                ).format(count=len(words), begin=plain(begin))
            )


def _chips(shown: Shown, left: Shown, count: str) -> None:
    capture = shown.capture
    chips = []
    for unit in shown.units:
        ids = " ".join(str(capture.token_ids[position]) for position in unit.positions)
        sentence = (capture.text, capture.text_pair or "")[unit.segment]
        pieces = " ".join(capture.tokens[position] for position in unit.positions)
        typed = sentence[slice(*unit.span)]
        kind = ("special " if unit.special else "") + ("second" if unit.segment else "")
        chips.append(
            {"label": unit.label, "ids": ids, "title": f"{pieces} · {typed}", "kind": kind}
        )
    components.chips(
        {
            "side": shown.side,
            "chips": chips,
            "picked": picked(shown, left),
            "hue": rgb(shown.side),
            "label": _("Tokens of {model}").format(model=shown.name),
            "count": count,
            "hint": _("Click tokens to see where they attend and who attends to them"),
        },
        key=f"chips_{shown.side}",
        on_picked=partial(pick_from, f"chips_{shown.side}", shown.recipe, left.recipe),
    )


def pick_from(component: str, side: Recipe, left_side: Recipe) -> None:
    """Remember the units that a component says are picked; a callback."""
    pick(st.session_state[component].picked, side, left_side)


def pick(indices: list[int], side: Recipe, left_side: Recipe) -> None:
    """Remember picked units, and repaint the details alone: nothing else depends on them."""
    shown, left = side.show(), left_side.show()
    valid = [i for i in indices if isinstance(i, int) and 0 <= i < len(shown.units)]
    if shown.side != left.side:
        valid = list(counterparts(valid, shown.units, left.units))
    st.session_state["picked"] = valid
    st.rerun("details")
