"""The part "Compare": second sentence minus first, or right model minus left."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import HeadlightError
from model.analysis.align import Alignment, align, aligned, largest_changes
from model.analysis.depth import by_layer
from pages.layers import kinds
from pages.layers.url import Layers
from viz import difference_heatmap, distinct, shortened
from web.language import _, in_words, listed, plain, sentences
from web.model_name import model_name
from web.subject import Subject
from web.widgets import present
from web.widgets.changed_cells import changes, described, more_in, subtraction
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.glossary import underline_terms
from web.widgets.head_comparison import no_correspondence
from web.widgets.view_code import difference_code

CHANGES = 12
"""Number of listed cells."""

MATTERS = 0.05
"""Gain of a weight in a row that the sentence names."""


def compare(row: DeltaGenerator, left: Subject, right: Subject) -> None:
    """Draw the difference of two sentences or of two models, and its largest changes."""
    with row:
        kinds.draw_boxes(left, right, layer=True)
    sentence = present.headline()
    picture, beside = st.columns([3, 2])
    with beside:
        against = Layers.against.draw(options=_offered(left, right))
    first = right if against == "right" else left
    second = right if against == "model" else None
    if second is None:
        with beside:
            other = Layers.other.draw()
        if other.strip():
            second = replace(first, text=other, text_pair=None)
        else:
            beside.info(_("Type a sentence"))
    if second is not None:
        _compare(first, second, sentence, picture, beside)


def _offered(left: Subject, right: Subject) -> dict[str, str]:
    """Return what can be compared; of two equal models only one has two sentences."""
    models = {"right": right.model, "sentence": left.model, "model": ""}
    if left.model == right.model:
        del models["right" if Layers.against.value == "sentence" else "sentence"]
    names = Layers.against.names()
    return {name: names[name].format(model=model_name(of)) for name, of in models.items()}


def _compare(
    first: Subject,
    second: Subject,
    sentence: DeltaGenerator,
    picture: DeltaGenerator,
    beside: DeltaGenerator,
) -> None:
    pair = first, second
    try:
        alignment = align(first.units, second.units)
        ours, theirs = (kinds.selected_map(view) for view in pair)  # (U, U)
    except HeadlightError as error:
        picture.error(plain(in_words(error)))
        return

    ours, theirs = aligned(ours, theirs, alignment.pairs)  # (P, P)
    labels, names = distinct(_labels(*pair, alignment)), _names(*pair, alignment)
    seen = np.isfinite(theirs - ours)  # no mask of either side hides them
    changed = np.where(seen, theirs - ours, 0)
    kept = _words(first, alignment)
    words = np.ix_(kept, kept)
    found = largest_changes(changed[words], 1)
    with picture:
        told = [(kept[query], kept[key]) for query, key, _change in found]
        _picture(*pair, alignment, changed, labels, seen, told)
        _say_left_out(*pair, alignment, hidden=not seen.all())
    with beside:
        named = [labels[at] for at in kept]
        sides = ours[words], theirs[words]  # (W, W) each
        if found:
            query, key, _change = found[0]
            text = (
                _(
                    "**Two sentences in {head}: among shared words, {query} → {key} changes most: "
                    "{ours:.2f} ({first}), {theirs:.2f} ({second}).**"
                )
                if first.model == second.model
                else _(
                    "**{head}: {query} → {key} is {ours:.2f} ({first}) and {theirs:.2f} "
                    "({second}), the largest difference between words.**"
                )
            )
            said = text.format(
                head=plain(_title(*pair)),
                query=plain(named[query]),
                key=plain(named[key]),
                first=plain(names[0]),
                second=plain(names[1]),
                ours=float(sides[0][query, key]),
                theirs=float(sides[1][query, key]),
            )
            row = labels, kept[query], kept[key]
            one = _gains_most(*row, ours, theirs) if first.model == second.model else ""
            listed_only = _("The table lists shared words alone.")
            said = sentences(said, one, listed_only)
            if first.model == second.model and 2 * len(kept) < len(first.units):
                said = _("**The sentences share few words. Type one that differs in one word.**")
            sentence.markdown(underline_terms(said))
        if kept:
            changes(changed[words], named, dict(zip(names, sides, strict=True)), CHANGES)
        if first.model != second.model:
            st.caption(no_correspondence())


def _gains_most(
    labels: list[str], query: int, told: int, ours: np.ndarray, theirs: np.ndarray
) -> str:
    """Return which key of a row of (P, P) gains most; "" if it gains little, or is told."""
    gains = np.nan_to_num(theirs[query] - ours[query])  # (P,)
    key = int(gains.argmax())
    if key == told or gains[key] < MATTERS:
        return ""
    text = _("From “{query}”, {key} gains most: {ours:.2f} to {theirs:.2f}.")
    ends = {"query": plain(labels[query]), "key": plain(labels[key])}
    return text.format(**ends, ours=ours[query, key], theirs=theirs[query, key])


def _words(first: Subject, alignment: Alignment) -> list[int]:
    """Return the indices of the pairs that are neither special nor replaced tokens."""
    return [
        at
        for at, pair in enumerate(alignment.pairs)
        if pair not in alignment.substituted and not first.units[pair[0]].special
    ]


def _names(first: Subject, second: Subject, alignment: Alignment) -> tuple[str, str]:
    if first.side != second.side:
        return first.name, second.name
    if len(alignment.substituted) != 1:
        return _("the first sentence"), _("the second sentence")
    [(ours, theirs)] = alignment.substituted
    return f"“{first.units[ours].label}”", f"“{second.units[theirs].label}”"


def _title(first: Subject, second: Subject) -> str:
    """Return the head or layer; of two models, both where they differ."""
    ours, theirs = kinds.title(first), kinds.title(second)
    if first.side == second.side:
        return f"{first.name} · {ours}"
    both = listed(f"{view.name} · {kinds.title(view)}" for view in (first, second))
    return ours if ours == theirs else both


def _picture(
    first: Subject,
    second: Subject,
    alignment: Alignment,
    changed: np.ndarray,
    labels: list[str],
    seen: np.ndarray,
    told: Sequence[tuple[int, int]],
) -> None:
    title, names = _title(first, second), _names(first, second, alignment)
    if first.side == second.side and len(alignment.substituted) != 1:
        names = _("the first"), _("the second")  # a bar has room for two short lines
    ends = more_in(names)
    if first.side != second.side or len(alignment.substituted) == 1:
        difference = subtraction(*_names(first, second, alignment))
        title = _("{head}: {difference}").format(head=title, difference=difference)
    figure = difference_heatmap(
        changed,
        labels,
        labels,
        title=title,
        ends=ends,
        hues=(first.hue, second.hue) if first.hue != second.hue else None,
        allowed=seen,
        framed=told,
        text_colour=THEME_TEXT,
        translate=_,
    )
    function, paper = kinds.FUNCTIONS[kinds.chosen_kind()]
    weights = kinds.code(first, "first"), kinds.code(second, "second", "other")
    code = difference_code(first, second, weights, by_layer, function=function, paper=paper)
    file = stem("difference", title, first.capture().text.lower())
    alt = described(title, len(labels), ends)
    chart(figure, "difference", file, alt, code=code, sides=[first, second])


def _labels(first: Subject, second: Subject, alignment: Alignment) -> list[str]:
    """Return a label for each aligned pair; both words if they differ."""
    labels = []
    for i, j in alignment.pairs:
        ours, theirs = first.units[i].label, second.units[j].label
        labels.append(f"{ours}/{theirs}" if (i, j) in alignment.substituted else ours)
    return labels


def _say_left_out(first: Subject, second: Subject, alignment: Alignment, *, hidden: bool) -> None:
    if hidden:
        st.caption(_("Grey: a mask hides these cells, so they have no difference."))
    for view, left_over in ((first, alignment.only_ours), (second, alignment.only_theirs)):
        if left_over:
            st.caption(
                _("Without a counterpart, left out: {tokens} ({whose})").format(
                    tokens=listed(plain(view.units[i].label) for i in left_over),
                    whose=plain(shortened(f"{view.name}: {view.capture().text}", 60)),
                )
            )
