"""One head of a translation, cell by cell, and the ways on from it."""

from pathlib import Path

import numpy as np
import streamlit as st

from model.capture.record import AttentionCapture
from pages import components
from pages.decoder.asked import Asked, OfStack, Stack
from pages.decoder.notebook import translation_lines
from pages.shared.address import link
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.head_picker import head_name
from pages.shared.language import _
from pages.shared.model_name import model_name
from pages.shared.parameters import write_text
from pages.shared.source import show_source
from pages.shared.take_away import stem, take_away
from pages.shared.translators import write_forced
from viz import attention_heatmap, distinct, lines_payload, shortened
from viz.figures.heatmap import matrix_height
from viz.style.theme import THEME_PAPER, rgb

CALCULATOR = Path(__file__).parents[1] / "calculator" / "page.py"

Place = tuple[int, int]
"""Layer and head."""


def one_head(asked: Asked, capture: AttentionCapture, name: str, place: Place) -> None:
    """Draw it, what can be taken away, and the ways to its every number.

    Args:
        asked: What was translated.
        capture: One of its three stacks.
        name: What the stack is called.
        place: The head.
    """
    weights, (labels, keys) = capture.weights[place], labels_of(capture)
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    alt = _("{name}, {title}; strongest: {query} to {key}, {weight:.4f}.").format(
        name=name,
        title=_title(asked, place),
        query=labels[query],
        key=(keys or labels)[key],
        weight=float(weights[query, key]),
    )
    draw = _lines if st.session_state["t_view"] == "lines" else _heatmap
    draw(asked, capture, name, place, alt)
    _below(asked, capture, place)


def labels_of(capture: AttentionCapture) -> tuple[list[str], list[str] | None]:
    """Names of the queries, and of the keys where they are others."""
    keys = None if capture.other_keys is None else distinct(capture.key_tokens)
    return distinct(capture.tokens), keys


def _title(asked: Asked, place: Place) -> str:
    return f"{model_name(asked.model)} · {head_name(*place)}"


def _lines(
    asked: Asked, capture: AttentionCapture, name: str, place: Place, description: str
) -> None:
    labels, keys = labels_of(capture)
    payload = lines_payload(
        capture.weights[place][None],  # (Tq, Tk) -> (1, Tq, Tk)
        labels,
        key_labels=keys,
        allowed=capture.allowed[place[0]],
        side="left",
        names=[head_name(*place)],
        colours=[rgb("left")],
        description=description,
        masked=_("masked"),
    )
    components.lines(payload, key="stack_lines", on_picked=_nothing)


def _heatmap(
    asked: Asked, capture: AttentionCapture, name: str, place: Place, description: str
) -> None:
    figure = attention_heatmap(
        capture.weights[place],
        capture.tokens,
        None if capture.other_keys is None else capture.key_tokens,
        title=_title(asked, place),
        subtitle=f"{name} · {shortened(asked.text, 40)}",
        side="left",
        allowed=capture.allowed[place[0]],
        text_colour=THEME_TEXT,
        paper_colour=THEME_PAPER,
        height=matrix_height(len(capture.tokens)),
        translate=_,
    )
    called = stem(model_name(asked.model), capture.stack, asked.text.lower())
    chart(figure, "stack_heatmap", called, description)


def _below(asked: Asked, capture: AttentionCapture, place: Place) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        stacks = [OfStack(asked, each) for each in ("cross", "decoder", "encoder")]
        take_away("stack", translation_lines(asked, capture.stack, *place), *stacks)
        ways = {"head": _("Every number of this head")}
        if asked.base is not None:  # a layer of ours can be followed
            ways["whole"] = _("And of its layer")
        for mode, label in ways.items():
            st.page_link(
                CALCULATOR,
                label=label,
                icon=":material/calculate:",
                query_params=link(_in_calculator(asked, capture.stack, place, mode)),
            )
    show_source("translation", ["translation"])


def _in_calculator(asked: Asked, stack: Stack, place: Place, mode: str) -> dict[str, str]:
    """The Calculator's address of this head, or of its layer.

    It writes greedily. What was written in another way is forced upon it, token by token.
    """
    stacks = {"encoder": "source", "cross": "cross" if mode == "head" else "decoder"}
    written = asked.written().tokens if asked.options or asked.forced else ()
    address = {
        "mode": mode,
        "stack": stacks.get(stack, stack),
        "translator": asked.model,
        "source": write_text(asked.text),
        "layer": str(place[0]),
        "head": str(place[1]),
    }
    return {**address, "forced": write_forced(enumerate(written))} if written else address


def _nothing() -> None:
    """A click on a token of the lines picks nothing here."""
