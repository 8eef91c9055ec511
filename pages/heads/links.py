"""The part "Which head links X to Y?": heads of both models ranked by one weight."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from model.analysis.links import link_weights, ranked, uniform_link
from model.analysis.units import counterparts
from pages.heads import examples
from pages.heads.panel import beside_panel
from pages.heads.selection import Place, head_table, is_decoder, select, select_example
from pages.heads.url import Heads
from viz import Side, shortened
from web.inference.compute_queue_ui import report_busy
from web.language import _, plain
from web.subject import Subject
from web.widgets.head_picker import head_name
from web.widgets.tables import share_column

LISTED = 12
"""Maximum number of heads in the table."""


@dataclass(frozen=True)
class Link:
    """The attention of one head between the chosen words."""

    weight: float
    uniform: float
    view: Subject
    layer: int
    head: int

    @property
    def place(self) -> Place:
        """The head's side, layer and number."""
        return self.view.side, self.layer, self.head


def links(left: Subject, right: Subject) -> None:
    """Draw the word pickers, the ranking, and the selected head."""
    st.caption(
        _(
            "Choose a word in each row. The heads of both models are ranked by their attention "
            "from the query to the key."
        )
    )
    if examples.select_link(left):
        _show_strongest(left, right, select_example)
    options = dict(enumerate(map(plain, left.labels)))
    rerank = partial(_show_strongest, left, right)
    queries = Heads.query.draw(options=options, on_change=rerank)
    keys = Heads.key.draw(options=options, on_change=rerank)
    if not queries or not keys:
        st.info(_("Choose a word in each row."))
        return
    with beside_panel(left, right, (3, 2)):
        _explain_missing_links(left, right, queries, keys)
        _table(left, right, queries, keys)


def _strongest_links(
    left: Subject, right: Subject, queries: list[int], keys: list[int]
) -> list[Link]:
    """Return the strongest links of both models; queries and keys are units of the left side."""
    found = []
    for view in (left, right):
        ours, theirs = _ends_on(left, view, queries, keys)
        if not ours or not theirs:
            continue
        weights = link_weights(view.between_units(view.capture().weights), ours, theirs)
        uniform = _uniform_shares(view, ours, theirs)
        for layer, head in ranked(weights)[:LISTED]:
            if uniform[layer]:  # zero: the mask forbids the link
                found.append(Link(float(weights[layer, head]), uniform[layer], view, layer, head))
    return sorted(found, key=lambda link: -link.weight)[:LISTED]


def _uniform_shares(view: Subject, queries: list[int], keys: list[int]) -> list[float]:
    """Return the uniform share for each layer."""
    capture, known = view.capture(), dict[int, float]()
    for mask in capture.allowed:  # most layers share a mask
        if id(mask) not in known:
            known[id(mask)] = uniform_link(
                len(capture.tokens),
                view.units,
                queries,
                keys,
                allowed=mask,
                renormalise=view.special == "renormalise",
            )
    return [known[id(mask)] for mask in capture.allowed]


def _explain_missing_links(
    left: Subject, right: Subject, queries: list[int], keys: list[int]
) -> None:
    """Explain that a decoder cannot look ahead, and offer to swap queries and keys."""
    sides = [left] if left.capture().model == right.capture().model else [left, right]
    looking_ahead = [
        view
        for view in sides
        for ours, theirs in [_ends_on(left, view, queries, keys)]
        if is_decoder(view) and ours and theirs and not any(_uniform_shares(view, ours, theirs))
    ]
    for view in looking_ahead:
        st.info(
            _(
                "{model} is a decoder: no token sees a later token, so no head links "
                "these words in this direction."
            ).format(model=plain(view.name))
        )
    if looking_ahead:
        st.button(
            _("Swap query and key"),
            icon=":material/swap_horiz:",
            key="links_turned",
            on_click=_swap,
            args=(left, right),
        )


def _swap(left: Subject, right: Subject) -> None:
    """Swap queries and keys; a callback."""
    Heads.query.value, Heads.key.value = Heads.key.value, Heads.query.value
    _show_strongest(left, right)


def _ends_on(
    left: Subject, view: Subject, queries: list[int], keys: list[int]
) -> tuple[list[int], list[int]]:
    """Convert queries and keys from units of the left side to units of another side."""
    if view is left:
        return queries, keys
    ours, theirs = (list(counterparts(ends, left.units, view.units)) for ends in (queries, keys))
    return ours, theirs


@report_busy
def _show_strongest(
    left: Subject, right: Subject, choose: Callable[[Side, int, int], None] = select
) -> None:
    """Select the strongest head once queries and keys are chosen; a callback."""
    queries, keys = Heads.query.value, Heads.key.value
    if queries and keys:
        found = _strongest_links(left, right, queries, keys)
        if found:
            choose(*found[0].place)


def _row(link: Link) -> dict[str, object]:
    return {
        "head": head_name(link.layer, link.head),
        "model": link.view.name,
        "weight": link.weight,
        "times": link.weight / link.uniform,
    }


def _table(left: Subject, right: Subject, queries: list[int], keys: list[int]) -> None:
    found = _strongest_links(left, right, queries, keys)
    if not found:
        return
    ends = [", ".join(left.labels[i] for i in chosen) for chosen in (queries, keys)]
    st.markdown("**{}**".format(plain(shortened(" → ".join(ends), 80))))
    head_table(
        pd.DataFrame([_row(link) for link in found]),
        [link.place for link in found],
        "links_table",
        height="content",
        alt=_("Heads by the attention that links the chosen words"),
        columns={
            "head": st.column_config.TextColumn(_("Head"), width=60),
            "model": st.column_config.TextColumn(_("Model"), width=60),
            "weight": share_column(_("Weight")),
            "times": st.column_config.NumberColumn(_("Ratio"), format="%.1f", width=56),
        },
    )
    st.caption(
        _(
            "Several queries: the mean of their weights. Several keys: the sum. Ratio: how many "
            "times the weight of a head that attends equally to every visible token."
        )
    )
