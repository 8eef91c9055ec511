"""The right model minus the left on one sentence, or the second sentence minus the first."""

from dataclasses import replace
from os.path import commonprefix

import numpy as np
import streamlit as st

from model import HeadlightError
from model.analysis.align import Alignment, align, aligned
from pages.layers import kinds
from pages.layers.address import PARAMETERS
from pages.shared import address
from pages.shared.changes import changes, described, more_in
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.choices import choose
from pages.shared.language import _, in_words, plain
from pages.shared.notebook import difference_lines
from pages.shared.recipe import Recipe, Shown
from pages.shared.source import show_source
from pages.shared.take_away import stem, take_away
from pages.shared.turns import part
from viz import difference_heatmap, distinct, shortened

CHANGES = 12
"""Cells that are listed."""


@part("depth")
def difference(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the choice of what is compared, the difference, and its largest changes."""
    names = {"model": _("The two models"), "sentence": _("Two sentences, left model")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if choose(_("Compare"), names, "against") == "sentence":
            st.text_input(_("The other sentence"), key="other", persist_state="session", width=520)
    kind = kinds.choose_kind()
    second_side = _second(left_side, right_side)
    if second_side is not None:
        _compare(left_side, second_side, kind)
    address.keep(PARAMETERS)


def _second(left_side: Recipe, right_side: Recipe) -> Recipe | None:
    """What the first side is compared with; None, and said, if there is nothing."""
    if st.session_state["against"] == "model":
        return right_side
    other = st.session_state["other"] or ""
    if not other.strip():
        st.info(_("Type the other sentence above: the difference needs two."))
        return None
    return replace(left_side, text=other, text_pair=None)


def _compare(first_side: Recipe, second_side: Recipe, kind: str) -> None:
    first, second = first_side.show(), second_side.show()
    kinds.place_boxes(kind, first, second)
    for shown in (first, second):
        if kinds.too_long(kind, shown):
            kinds.say_too_long(shown)
            return
    try:
        alignment = align(first.units, second.units)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return
    _say_left_out(first, second, alignment)
    ours, theirs = aligned(_selected(first, kind), _selected(second, kind), alignment.pairs)
    changed = theirs - ours  # (P, P)
    seen = _seen_by_both(first, second, kind, alignment)
    labels = distinct(_labels(first, second, alignment))
    picture, table = st.columns([3, 2])
    with picture:
        _picture(first, second, kind, changed, labels, seen)
    with table:
        sides = dict(zip(_called(first, second), (ours, theirs), strict=True))
        changes(changed if seen is None else np.where(seen, changed, 0), labels, sides, CHANGES)


def _seen_by_both(
    first: Shown, second: Shown, kind: str, alignment: Alignment
) -> np.ndarray | None:
    """Where neither side's mask hides a cell, boolean (P, P); None if nothing is hidden.

    A weight that a mask forbids is no number, and what differs from it is none either.
    """
    ours, theirs = (list(places) for places in zip(*alignment.pairs, strict=True))
    seen = np.ones((len(ours), len(ours)), dtype=bool)
    masked = []
    for shown, places in ((first, ours), (second, theirs)):
        mask = kinds.allowed_in(shown, kind)
        if mask is not None:
            seen &= mask[np.ix_(places, places)]
            masked.append(plain(shown.name))
    if not masked:
        return None
    st.caption(
        _("Struck out: what the mask of {models} hides has no number, so it cannot differ.").format(
            models=", ".join(dict.fromkeys(masked))
        )
    )
    return seen


def _called(first: Shown, second: Shown) -> tuple[str, str]:
    """What the two are called in the table: their models, or their places."""
    if first.capture.model != second.capture.model:
        return first.name, second.name
    return _("first"), _("second")


def _ends(first: Shown, second: Shown) -> tuple[str, str]:
    """What the ends of the colours stand for."""
    if first.side == second.side:
        return _("more in the first sentence"), _("more in the second sentence")
    return more_in((first.name, second.name))


def _picture(
    first: Shown,
    second: Shown,
    kind: str,
    changed: np.ndarray,
    labels: list[str],
    seen: np.ndarray | None,
) -> None:
    title = _title(first, second, kind)
    ends = _ends(first, second)
    figure = difference_heatmap(
        changed,
        labels,
        labels,
        title=title,
        subtitle=_subtitle(first.recipe.text, second.recipe.text),
        ends=ends,
        allowed=seen,
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = described(title, len(labels), ends)
    chart(figure, "difference", stem("difference", title, first.capture.text.lower()), alt)
    layers = kinds.selected_layer(first), kinds.selected_layer(second)
    heads = kinds.selected_head(first), kinds.selected_head(second)
    lines = difference_lines(first.recipe, second.recipe, kind, layers, heads)
    take_away("difference", lines, first.recipe, second.recipe)
    show_source("difference", [kind, "difference"], first.recipe, second.recipe)


def _title(first: Shown, second: Shown, kind: str) -> str:
    """What is subtracted from what; what both have in common stands once, or a phone cuts it."""
    ours, theirs = (kinds.place(shown, kind) for shown in (first, second))
    if first.side == second.side:  # the sentences differ: the subtitle has them
        return f"{first.name} · {ours}"
    if ours == theirs:
        return f"{ours}: {second.name} − {first.name}"
    return f"{second.name} · {theirs} − {first.name} · {ours}"


def _subtitle(first: str, second: str) -> str:
    """One sentence, or two from where they differ, the second minus the first."""
    if first == second:
        return shortened(first, 48)
    # Letter by letter is what is wanted here, up to the last whole word.
    shared = commonprefix((first, second)).rpartition(" ")[0]  # noqa: RUF071
    rests = (text[len(shared) :].strip() for text in (second, first))
    return " − ".join(("… " if shared else "") + shortened(rest, 40) for rest in rests)


def _selected(shown: Shown, kind: str) -> np.ndarray:
    """The selected layer of a side as that kind shows it: (U, U)."""
    return kinds.maps(shown, kind, kinds.selected_head(shown))[kinds.selected_layer(shown)]


def _labels(first: Shown, second: Shown, alignment: Alignment) -> list[str]:
    """One name for each aligned pair; both where a word stands in another's place."""
    labels = []
    for i, j in alignment.pairs:
        ours, theirs = first.units[i].label, second.units[j].label
        labels.append(f"{ours}/{theirs}" if (i, j) in alignment.substituted else ours)
    return labels


def _say_left_out(first: Shown, second: Shown, alignment: Alignment) -> None:
    for shown, left_over in ((first, alignment.only_ours), (second, alignment.only_theirs)):
        if left_over:
            st.caption(
                _("Without a counterpart, left out: {tokens} ({whose})").format(
                    tokens=", ".join(plain(shown.units[i].label) for i in left_over),
                    whose=plain(shortened(f"{shown.name}: {shown.capture.text}", 60)),
                )
            )
