"""The cards of a calculation on the page: drawn, clicked, kept in the address."""

import time
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from model import HeadlightError
from model.calculator import CellError
from pages import components
from pages.calculator.address import PARAMETERS, settings
from pages.calculator.look import Look
from pages.calculator.work import Worked
from pages.shared import address, present
from pages.shared.language import _, in_words
from viz import Side
from viz.cards.matrices import Names
from viz.cards.payload import steps_payload
from viz.style.theme import rgb

_HEARD = "steps_heard"
"""In the session: the number of the last act in the steps that it knows of."""


def draw_steps(
    worked: Worked,
    names: Names,
    *,
    key: str,
    side: Side = "right",
    toggles: bool = True,
    look: Look | None = None,
) -> None:
    """Draw the cards, or what is in their way.

    Args:
        worked: The calculation, as far as it goes.
        names: Of tokens and heads.
        key: Of the component.
        side: Whose hue shades the weights.
        toggles: Whether a click on the mask changes it.
        look: Which step is open and which cell spelled out; the session's unless given.
    """
    data: dict[str, Any] = {
        "waiting": worked.steps is None,
        "heard": st.session_state.get(_HEARD, 0),
        "problem": _problem(worked.said),
        "hue": rgb(side),
        "source": rgb("left" if side == "right" else "right"),
    }
    if worked.steps is not None:
        data |= steps_payload(worked.steps)
        data |= {
            "decimals": st.session_state["decimals"],
            "toggles": toggles,
            "look": asdict(look or st.session_state["look"]),
            "strings": _strings(),
        }
    sizes = len(names.queries), len(names.keys)
    with present.stage("steps", "grown"):
        components.steps(data, key=key, on_acted=partial(_act, key, *sizes))


def keep_link() -> None:
    """Write the view into the address, once the steps are painted.

    A new address makes Streamlit's router draw the page anew; sent together with the steps, it
    would have them painted some 20 ms later.
    """
    time.sleep(0.05)
    address.keep(PARAMETERS)


def _problem(said: HeadlightError | None) -> dict[str, str] | None:
    """What is in the way, and the card in which it happens."""
    if said is None:
        return None
    cards = {
        **dict.fromkeys("QKV", "project"),
        "raw_scores": "raw_scores",
        "scaled_scores": "scale",
        "masked_scores": "mask",
        "context": "context",
        "output": "project_out",
    }
    place = said.place.matrix if isinstance(said, CellError) else ""
    return {"card": cards.get(place, ""), "text": in_words(said)}


def _strings() -> dict[str, str]:
    return {
        "steps": _("Steps"),
        "all": _("All steps"),
        "back": _("Step before"),
        "next": _("Next step"),
        "allowed": _("(allowed: the score stays)"),
        "hidden": _("(hidden from this query)"),
        "given": _("(given)"),
        "toggle": _("Click a ✓ or ✗ to change it."),
        "rest": _("{count} smaller terms, together {sum}"),
        "rowSum": _("row sum"),
        "columnSum": _("column sum"),
        "nothing": _("(nothing is left to attend to)"),
    }


def _act(key: str, n_queries: int, n_keys: int) -> None:
    """Take what was done in the steps since the session last heard of them; a callback."""
    acted = st.session_state[key].acted
    st.session_state[_HEARD] = int(acted["number"])
    if (cell := acted["look"]) is not None:
        st.session_state["look"] = Look(
            str(cell["card"]), str(cell["family"]), int(cell["row"]), int(cell["column"])
        )
    wanted = {
        (int(cell["query"]), int(cell["key"])): bool(cell["allowed"]) for cell in acted["toggles"]
    }
    if wanted:
        _allow(wanted, n_queries, n_keys)


def _allow(wanted: dict[tuple[int, int], bool], n_queries: int, n_keys: int) -> None:
    """Hide keys from queries, or show them again. Any mask becomes a custom one."""
    allowed = settings().allowed(n_queries, n_keys)
    hidden = (
        {tuple(pair) for pair in (~allowed).nonzero().tolist()} if allowed is not None else set()
    )
    shown = {pair for pair, allowed in wanted.items() if allowed}
    st.session_state["hidden"] = sorted((hidden | wanted.keys()) - shown)
    if st.session_state["mask"] != "custom":
        st.session_state["mask"] = "custom"
        st.rerun()  # its control stands outside of the steps
