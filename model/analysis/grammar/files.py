"""JSON files of counts over a treebank: equal counts give equal bytes."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from model.analysis.grammar.relations import RelationCounts, Tally
from model.errors import HeadlightError

READ_ERRORS = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""Exceptions raised while reading JSON with unexpected content."""


def pack_relations(relations: RelationCounts, shape: tuple[int, int]) -> dict[str, dict[str, Any]]:
    """Convert relation counts to JSON data, by name, then by half."""

    def half(tally: Tally) -> dict[str, Any]:
        hits = np.broadcast_to(tally.hits, (2, *shape))  # a tally without pairs has shape ()
        return {"pairs": tally.pairs, "hits": hits, "offsets": tally.offsets}

    return {
        name: {
            "chosen": half(relations.selection.get(name, Tally())),
            "reported": half(relations.evaluation.get(name, Tally())),
        }
        for name in relations.selection.keys() | relations.evaluation.keys()
    }


def unpack_relations(written: dict[str, dict[str, Any]], shape: tuple[int, int]) -> RelationCounts:
    """Restore relation counts from :func:`pack_relations`; raises one of :data:`READ_ERRORS`."""

    def tally(read: dict[str, Any]) -> Tally:
        offsets = Counter({int(offset): n for offset, n in read["offsets"].items()})
        return Tally(read["pairs"], read_array(read["hits"], int, (2, *shape)), offsets)

    relations = RelationCounts()
    for name, halves in written.items():
        relations.selection[name] = tally(halves["chosen"])
        relations.evaluation[name] = tally(halves["reported"])
    return relations


def read_array(values: list[Any], kind: type, shape: tuple[int, ...]) -> np.ndarray:
    """Read a read-only array from nested lists, null is NaN; ValueError for another shape."""
    array: np.ndarray = np.array(values, dtype=kind)
    if array.shape != shape:
        raise ValueError(f"{array.shape} is not {shape}")
    array.flags.writeable = False
    return array


def write_json(file: Path, content: dict[str, Any]) -> None:
    """Write compact JSON and replace the file atomically."""
    text = json.dumps(
        content, default=_to_lists, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    try:
        with open(f"{file}.new", "wb") as handle:
            handle.write(f"{text}\n".encode())
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(f"{file}.new", file)
    except OSError as error:
        raise HeadlightError(
            "{file} cannot be written: {reason}.", file=str(file), reason=str(error.strerror)
        ) from error


def _to_lists(array: np.ndarray) -> Any:
    """Convert an array for JSON. Floats keep every digit, so that reading restores them exactly."""
    values = array.astype(object)
    values[np.isnan(array)] = None
    return values.tolist()
