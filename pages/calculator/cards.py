"""The cards of a calculation on the page: drawing, clicks, and the link."""

import time
from dataclasses import asdict
from functools import partial
from typing import Any
from urllib.parse import urlencode

from model import HeadlightError
from model.calculator import CellError
from pages.calculator.calculate import Calculated
from pages.calculator.selection import Selection
from pages.calculator.url import Calculator, settings
from viz import Side
from viz.cards.matrices import MatrixNames
from viz.cards.payload import steps_payload
from viz.style.theme import rgb
from web import components
from web.components import edits
from web.language import _, in_words
from web.view_state import address
from web.view_state.field import read_pairs
from web.widgets import present


def draw_steps(
    calculated: Calculated,
    names: MatrixNames,
    *,
    key: str,
    side: Side = "right",
    toggles: bool = True,
    selection: Selection | None = None,
) -> None:
    """Draw the cards, and the error if there is one."""
    data: dict[str, Any] = {
        "waiting": calculated.steps is None,
        "problem": _problem(calculated.error),
        "hue": rgb(side),
        "source": rgb("left" if side == "right" else "right"),
    }
    if calculated.steps is not None:
        data |= steps_payload(calculated.steps)
        data |= {
            "decimals": Calculator.decimals.value,
            "toggles": toggles,
            "look": asdict(selection or Calculator.look.value),
            "strings": _strings(),
        }
    sizes = len(names.queries), len(names.keys)
    with present.stage("steps", grown=True):
        components.steps(data, key=key, on_edited=partial(_on_edited, key, *sizes))


def write_link() -> None:
    """Write the view into the URL, after the browser has painted the steps.

    A new URL makes Streamlit's router render the page again. Sent together with the steps, it
    would delay their painting by some 20 ms.
    """
    time.sleep(0.05)
    address.keep(Calculator.fields)


def _problem(error: HeadlightError | None) -> dict[str, str] | None:
    """The error's text, and the card to which it belongs."""
    if error is None:
        return None
    cards = {
        **dict.fromkeys("QKV", "project"),
        "raw_scores": "raw_scores",
        "scaled_scores": "scale",
        "masked_scores": "mask",
        "context": "context",
        "output": "project_out",
    }
    matrix = error.place.matrix if isinstance(error, CellError) else ""
    return {"card": cards.get(matrix, ""), "text": in_words(error)}


def _strings() -> dict[str, str]:
    return {
        "steps": _("Steps"),
        "all": _("All steps"),
        "query": _("One query"),
        "allowed": _("(allowed: the score does not change)"),
        "hidden": _("(hidden from this query)"),
        "toggle": _("Select a ✓ or ✗ to change it."),
        "rest": _("{count} smaller terms, together {sum}"),
        "rowSum": _("row sum"),
        "columnSum": _("column sum"),
        "nothing": _("(every key is hidden)"),
        "why": _("Why √dₖ"),
        "whyLink": f"/calculator?{urlencode(address.link({'mode': 'spread'}))}",
    }


def _on_edited(key: str, n_queries: int, n_keys: int) -> None:
    """Store the selection and the edited cells of the mask; a callback."""
    fields = edits.received(key)
    if (cell := fields.pop("look", None)) is not None:
        Calculator.look.value = Selection(
            str(cell["card"]), str(cell["family"]), int(cell["row"]), int(cell["column"])
        )
    if wanted := {read_pairs(cell)[0]: bool(allowed) for cell, allowed in fields.items()}:
        _allow(wanted, n_queries, n_keys)


def _allow(wanted: dict[tuple[int, int], bool], n_queries: int, n_keys: int) -> None:
    """Hide keys from queries, or show them. Any mask becomes a custom mask."""
    allowed = settings().allowed(n_queries, n_keys)
    hidden = (
        {tuple(pair) for pair in (~allowed).nonzero().tolist()} if allowed is not None else set()
    )
    shown = {pair for pair, allowed in wanted.items() if allowed}
    Calculator.hidden.value = sorted((hidden | wanted.keys()) - shown)
    Calculator.mask.value = "custom"
