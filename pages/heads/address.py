"""What the Heads page's address carries."""

from dataclasses import replace
from functools import partial

from model.analysis.labels import LABELS
from pages.shared.address import Parameter, holds
from pages.shared.parameters import (
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
from pages.shared.recipe import SIDES

PARTS = ("labels", "links", "map", "corpus", "change", "tuned")
HOWS = ("zero", "uniform")


_shows = partial(holds, "heads_part")


def _read_off(text: str) -> list[tuple[int, int]]:
    return [] if text == "none" else read_pairs(text)


def _write_off(heads: list[tuple[int, int]] | None) -> str:
    return write_pairs(heads or []) or "none"


PARAMETERS: dict[str, Parameter] = {
    "part": Parameter("labels", one_of(*PARTS), always=True, key="heads_part"),
    **{name: VIEW[name] for name in ("text", "pair", "left", "right", "layer", "head")},
    # Whose head is selected, and whose heads are switched off.
    "side": Parameter("right", one_of("left", "right"), key="heads_side"),
    "models": Parameter(
        list(SIDES),
        several_of(*SIDES),
        ".".join,
        relevant=_shows("labels"),
        key="labels_models",
    ),
    "labels": Parameter(
        [], several_of(*LABELS), ".".join, relevant=_shows("labels"), key="labels_wanted"
    ),
    "query": Parameter([], read_indices, write_indices, relevant=_shows("links"), key="link_query"),
    "key": Parameter([], read_indices, write_indices, relevant=_shows("links"), key="link_key"),
    "colour": Parameter(
        "layer", one_of("layer", "label"), relevant=_shows("map"), key="map_colour"
    ),
    # None: nothing was said yet, and the part opens with an example. An empty list says: no head.
    "off": Parameter(None, _read_off, _write_off, relevant=_shows("change")),
    "how": Parameter("zero", one_of(*HOWS), relevant=_shows("change"), key="off_how"),
    "masked": Parameter([], read_indices, write_indices, relevant=_shows("change")),
    # Behind which words it is told what a decoder would write.
    "behind": Parameter(
        [], read_indices, write_indices, relevant=_shows("change", "tuned"), key="next_behind"
    ),
    "anyway": Parameter(
        False, read_flag, write_flag, relevant=_shows("tuned"), key="compared_anyway"
    ),
    **{name: replace(VIEW[name]) for name in ("special", "words")},
}
"""The part comes first: it decides which of the others matter."""
