"""The part "Difference": right model minus left, or second sentence minus first."""

from dataclasses import replace
from os.path import commonprefix

import numpy as np
import streamlit as st

from model import HeadlightError
from model.analysis.align import Alignment, align, aligned
from model.analysis.depth import by_layer
from pages.layers import kinds
from pages.layers.url import Layers
from viz import difference_heatmap, distinct, shortened
from web.inference.compute_queue_ui import queue_fragment
from web.language import _, in_words, plain
from web.model_name import model_name
from web.subject import Subject
from web.view_state import address
from web.widgets.changed_cells import changes, described, more_in
from web.widgets.charts import THEME_TEXT, chart
from web.widgets.export import stem
from web.widgets.head_comparison import no_correspondence
from web.widgets.view_code import ViewCode, difference_code

CHANGES = 12
"""Number of listed cells."""


@queue_fragment("depth")
def difference(left_side: Subject, right_side: Subject) -> None:
    """Draw the comparison picker, the difference and its largest changes."""
    model = plain(model_name(left_side.model))
    names = {name: said.format(model=model) for name, said in Layers.against.names().items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if Layers.against.draw(options=names) == "sentence":
            Layers.other.draw()
        elif left_side.model != right_side.model:
            st.caption(no_correspondence())
    kind = kinds.choose_kind()
    second = _second(left_side, right_side)
    if second is not None:
        _compare(left_side, second, kind)
    kinds.draw_formula(kind)
    address.keep(Layers.fields)


def _second(left_side: Subject, right_side: Subject) -> Subject | None:
    """Return the side to compare with, or None after explaining why there is none."""
    if Layers.against.value == "model":
        return right_side
    other = Layers.other.value or ""
    if not other.strip():
        st.info(_("Type the other sentence: a difference needs two."))
        return None
    return replace(left_side, text=other, text_pair=None)


def _compare(first: Subject, second: Subject, kind: str) -> None:
    kinds.draw_head_pickers(kind, first, second)
    try:
        alignment = align(first.units, second.units)
        ours, theirs = _selected(first, kind), _selected(second, kind)
    except HeadlightError as error:
        st.error(plain(in_words(error)))
        return

    _say_left_out(first, second, alignment)
    ours, theirs = aligned(ours, theirs, alignment.pairs)
    changed = theirs - ours  # (P, P)
    seen = _visible_in_both(first, second, kind, alignment)
    labels = distinct(_labels(first, second, alignment))
    picture, table = st.columns([3, 2])
    with picture:
        _picture(first, second, kind, changed, labels, seen)
    with table:
        sides = dict(zip(_side_names(first, second), (ours, theirs), strict=True))
        changes(changed if seen is None else np.where(seen, changed, 0), labels, sides, CHANGES)


def _visible_in_both(
    first: Subject, second: Subject, kind: str, alignment: Alignment
) -> np.ndarray | None:
    """Cells that no mask hides on either side, boolean (P, P), or None without a mask."""
    ours, theirs = (list(places) for places in zip(*alignment.pairs, strict=True))
    seen = np.ones((len(ours), len(ours)), dtype=bool)
    masked = []
    for view, places in ((first, ours), (second, theirs)):
        mask = kinds.allowed_in(view, kind)
        if mask is not None:
            seen &= mask[np.ix_(places, places)]
            masked.append(plain(view.name))
    if not masked:
        return None
    st.caption(
        _("Grey: the mask of {models} hides these cells, so they have no difference.").format(
            models=", ".join(dict.fromkeys(masked))
        )
    )
    return seen


def _side_names(first: Subject, second: Subject) -> tuple[str, str]:
    """Return the names of both sides in the table."""
    if first.capture().model != second.capture().model:
        return first.name, second.name
    return _("first"), _("second")


def _ends(first: Subject, second: Subject) -> tuple[str, str]:
    """Return the labels of both ends of the colour scale."""
    if first.side == second.side:
        return _("more in the first sentence"), _("more in the second sentence")
    return more_in((first.name, second.name))


def _picture(
    first: Subject,
    second: Subject,
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
        subtitle=_subtitle(first.text, second.text),
        ends=ends,
        allowed=seen,
        text_colour=THEME_TEXT,
        translate=_,
    )
    alt = described(title, len(labels), ends)
    sides = [first, second]
    file = stem("difference", title, first.capture().text.lower())
    chart(figure, "difference", file, alt, code=_code(first, second, kind), sides=sides)


def _code(first: Subject, second: Subject, kind: str) -> ViewCode:
    weights = [
        kinds.weights_code(kind, kinds.selected_layer(view), kinds.selected_head(view), *names)
        for view, names in ((first, ("first", "model")), (second, ("second", "other")))
    ]
    function, paper = kinds.FUNCTIONS[kind]
    return difference_code(
        first, second, (weights[0], weights[1]), by_layer, function=function, paper=paper
    )


def _title(first: Subject, second: Subject, kind: str) -> str:
    """Return the title; shared words appear once, because a phone cuts long titles."""
    ours, theirs = (kinds.layer_title(view, kind) for view in (first, second))
    if first.side == second.side:  # the sentences differ, and the subtitle shows them
        return f"{first.name} · {ours}"
    if ours == theirs:
        return f"{ours}: {second.name} − {first.name}"
    return f"{second.name} · {theirs} − {first.name} · {ours}"


def _subtitle(first: str, second: str) -> str:
    """Return the sentence, or the differing ends of two sentences."""
    if first == second:
        return shortened(first, 48)
    # A common prefix by characters is intended, cut at the last whole word.
    shared = commonprefix((first, second)).rpartition(" ")[0]  # noqa: RUF071
    rests = (text[len(shared) :].strip() for text in (second, first))
    return " − ".join(("… " if shared else "") + shortened(rest, 40) for rest in rests)


def _selected(view: Subject, kind: str) -> np.ndarray:
    """Return the selected layer's map of a side, (U, U)."""
    return kinds.maps(view, kind, kinds.selected_head(view))[kinds.selected_layer(view)]


def _labels(first: Subject, second: Subject, alignment: Alignment) -> list[str]:
    """Return a label for each aligned pair; both words if they differ."""
    labels = []
    for i, j in alignment.pairs:
        ours, theirs = first.units[i].label, second.units[j].label
        labels.append(f"{ours}/{theirs}" if (i, j) in alignment.substituted else ours)
    return labels


def _say_left_out(first: Subject, second: Subject, alignment: Alignment) -> None:
    for view, left_over in ((first, alignment.only_ours), (second, alignment.only_theirs)):
        if left_over:
            st.caption(
                _("Without a counterpart, left out: {tokens} ({whose})").format(
                    tokens=", ".join(plain(view.units[i].label) for i in left_over),
                    whose=plain(shortened(f"{view.name}: {view.capture().text}", 60)),
                )
            )
