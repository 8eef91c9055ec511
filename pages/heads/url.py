"""URL parameters of the Heads page."""

from dataclasses import replace
from functools import partial

from model.analysis.labels import LABELS
from web.subject import SIDES
from web.view_state.address import Parameter, holds
from web.view_state.parameters import (
    VIEW,
    one_of,
    read_flag,
    read_indices,
    read_pairs,
    several_of,
    write_flag,
    write_indices,
    write_pairs,
)

PARTS = ("labels", "links", "corpus", "change", "tuned")
OFF_METHODS = ("zero", "uniform")


_part_is = partial(holds, "heads_part")


def _read_off(text: str) -> list[tuple[int, int]]:
    return [] if text == "none" else read_pairs(text)


def _write_off(heads: list[tuple[int, int]] | None) -> str:
    return write_pairs(heads or []) or "none"


PARAMETERS: dict[str, Parameter] = {
    "part": Parameter("labels", one_of(*PARTS), always=True, key="heads_part"),
    **{name: VIEW[name] for name in ("text", "pair", "left", "right", "layer", "head")},
    # The side of the selected head and of the heads that are switched off.
    "side": Parameter("right", one_of("left", "right"), key="heads_side"),
    "models": Parameter(
        list(SIDES),
        several_of(*SIDES),
        ".".join,
        relevant=_part_is("labels"),
        key="labels_models",
    ),
    "labels": Parameter(
        [], several_of(*LABELS), ".".join, relevant=_part_is("labels"), key="labels_wanted"
    ),
    "measures": Parameter(
        False, read_flag, write_flag, relevant=_part_is("labels"), key="labels_measures"
    ),
    "query": Parameter(
        [], read_indices, write_indices, relevant=_part_is("links"), key="link_query"
    ),
    "key": Parameter([], read_indices, write_indices, relevant=_part_is("links"), key="link_key"),
    # None: not set yet, so the part opens with an example. An empty list: no head is off.
    "off": Parameter(None, _read_off, _write_off, relevant=_part_is("change")),
    "how": Parameter("zero", one_of(*OFF_METHODS), relevant=_part_is("change"), key="off_how"),
    "masked": Parameter([], read_indices, write_indices, relevant=_part_is("change")),
    # The unit for which the effect is stated.
    "asked": Parameter([], read_indices, write_indices, relevant=_part_is("change")),
    # The words after which a decoder's next token is predicted.
    "behind": Parameter(
        [], read_indices, write_indices, relevant=_part_is("change", "tuned"), key="next_after"
    ),
    "anyway": Parameter(
        False, read_flag, write_flag, relevant=_part_is("tuned"), key="compared_anyway"
    ),
    **{name: replace(VIEW[name]) for name in ("special", "words")},
}
"""``part`` comes first: it decides which other parameters are relevant."""
