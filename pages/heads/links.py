"""The part "Which head links X to Y?": heads of both models ranked by one weight."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from model.analysis.links import link_weights, ranked, uniform_link
from pages.heads import examples
from pages.heads.panel import layout, panel
from pages.heads.selection import (
    HeadPlace,
    head_table,
    select,
    select_example,
    selected_side,
)
from pages.heads.url import Heads
from viz import Side, shortened
from web.cache import loaded_models
from web.inference.compute_queue_ui import report_busy
from web.language import _, listed, plain, sentences
from web.subject import Subject
from web.widgets import present
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_name

LISTED = 12
"""Maximum number of heads in the table."""


@dataclass(frozen=True)
class HeadLink:
    """The attention of one head between the chosen words.

    Attributes:
        uniform: What a head gives that attends equally to every token that it sees.
    """

    weight: float
    uniform: float
    view: Subject
    layer: int
    head: int

    @property
    def place(self) -> HeadPlace:
        """The head's side, layer and number."""
        return self.view.side, self.layer, self.head


def links(left: Subject, right: Subject) -> None:
    """Draw the word pickers, the ranking, and the selected head."""
    _leave_out_unknown(left)
    if examples.select_link(left):
        _show_strongest(left, right, select_example)
    sentence, controls, picture = layout()
    with controls:
        _choose_words(left, right)
        queries, keys = Heads.query.value, Heads.key.value
        found = _strongest_links(left, right, queries, keys) if queries and keys else []
        if found:
            _table(found)
    with sentence:
        _answer(left, right, found)
    with picture:
        panel(left, right, queries, _linked_cell(left, selected_side(left, right)))


def _leave_out_unknown(left: Subject) -> None:
    """Drop words of a link that the sentence does not have, and say so."""
    for field in (Heads.query, Heads.key):
        known = [i for i in field.value if i < len(left.units)]
        if known != field.value:
            notice = _("The link names a word {number}, but the sentence has {count}.")
            st.warning(notice.format(number=max(field.value), count=len(left.units)))
            field.value = known


def _choose_words(left: Subject, right: Subject) -> None:
    options = dict(enumerate(left.labels))
    rerank = partial(_show_strongest, left, right)
    with st.container(horizontal=True, vertical_alignment="bottom", key="link_words"):
        Heads.query.draw(options=options, on_change=rerank, placeholder="X")
        Heads.key.draw(options=options, on_change=rerank, placeholder="Y")
        st.button(
            "",
            icon=":material/swap_horiz:",
            help=_("Swap query and key"),
            key="links_turned",
            on_click=_swap,
            args=(left, right),
        )


def _answer(left: Subject, right: Subject, found: list[HeadLink]) -> None:
    """Answer the question, or say why no head links the words."""
    queries, keys = Heads.query.value, Heads.key.value
    if not queries or not keys:
        st.info(_("Choose a word in each box."))
        return
    for view in [left] if left.capture().model == right.capture().model else [left, right]:
        ends = _ends_on(left, view, queries, keys)
        is_decoder = loaded_models.is_decoder(view.model)
        if is_decoder and all(ends) and not any(_uniform_shares(view, *ends)):
            st.info(
                _(
                    "{model} is a decoder: no token sees a later token, so no head links "
                    "these words in this direction."
                ).format(model=plain(view.name))
            )
    if not found:
        return
    best, *others = found
    names = [shortened(listed(left.labels[i] for i in ends), 40) for ends in (queries, keys)]
    text = _(
        "**Of all heads, {model}'s {head} links “{query}” to “{key}” most: with {weight:.2f} of "
        "the attention of “{query}” (an equal share is {uniform:.2f}).**"
    ).format(
        model=plain(best.view.name),
        head=head_name(best.layer, best.head),
        query=plain(names[0]),
        key=plain(names[1]),
        weight=best.weight,
        uniform=best.uniform,
    )
    for each in others[:1]:
        name, head = plain(each.view.name), head_name(each.layer, each.head)
        following = _("Next: {model}'s {head}, {weight:.2f}.")
        text = sentences(text, following.format(model=name, head=head, weight=each.weight))
    st.markdown(underline_terms(text))


def _strongest_links(
    left: Subject, right: Subject, queries: list[int], keys: list[int]
) -> list[HeadLink]:
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
                found.append(
                    HeadLink(float(weights[layer, head]), uniform[layer], view, layer, head)
                )
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
    ours, theirs = (list(left.counterparts(ends, view)) for ends in (queries, keys))
    return ours, theirs


def _linked_cell(left: Subject, view: Subject) -> tuple[int, int] | None:
    """Return the query and the key on the shown side; None if there are several."""
    ends = [*zip(*_ends_on(left, view, Heads.query.value, Heads.key.value), strict=False)]
    return ends[0] if len(Heads.query.value) == len(Heads.key.value) == len(ends) == 1 else None


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


def _table(found: list[HeadLink]) -> None:
    equal = _(
        "An equal share: the weight of a head that attends equally to every token. "
        "Several words: the mean over the queries, the sum over the keys."
    )
    columns = {
        "head": {"title": _("Head")},
        "model": {"title": _("Model")},
        "weight": {"title": _("Weight"), "digits": 4, "bar": True},
        "times": {"title": _("× equal share"), "digits": 1, "help": equal},
    }
    heads = [head_name(link.layer, link.head) for link in found]
    rows = [
        [name, link.view.name, link.weight, float(link.weight / link.uniform)]
        for name, link in zip(heads, found, strict=True)
    ]
    places = [link.place for link in found]
    with present.stage("links"):
        head_table(columns, rows, places, "links_table", _("Which head links X to Y?"))
