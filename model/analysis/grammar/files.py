"""Counts over a treebank as JSON: the same numbers always end in the same bytes."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from model.analysis.grammar.relations import Halves, Tally
from model.errors import HeadlightError

BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""What reading JSON of another content than ours ends in."""


def packed(relations: Halves, shape: tuple[int, int]) -> dict[str, dict[str, Any]]:
    """Relations as they are written: by name, then by half.

    Args:
        relations: Which head met how many pairs of words.
        shape: (L, H).
    """

    def half(tally: Tally) -> dict[str, Any]:
        hits = np.broadcast_to(tally.hits, (2, *shape))  # without pairs it has no shape of its own
        return {"pairs": tally.pairs, "hits": hits, "offsets": tally.offsets}

    return {
        name: {
            "chosen": half(relations.chosen.get(name, Tally())),
            "reported": half(relations.reported.get(name, Tally())),
        }
        for name in relations.chosen.keys() | relations.reported.keys()
    }


def unpacked(written: dict[str, dict[str, Any]], shape: tuple[int, int]) -> Halves:
    """Relations as :func:`packed` gave them; any of :data:`BROKEN` is raised for other content."""

    def tally(read: dict[str, Any]) -> Tally:
        offsets = Counter({int(offset): n for offset, n in read["offsets"].items()})
        return Tally(read["pairs"], read_array(read["hits"], int, (2, *shape)), offsets)

    relations = Halves()
    for name, halves in written.items():
        relations.chosen[name] = tally(halves["chosen"])
        relations.reported[name] = tally(halves["reported"])
    return relations


def read_array(values: list[Any], kind: type, shape: tuple[int, ...]) -> np.ndarray:
    """An array that was written as lists, null for what is not a number; read-only.

    Raises:
        ValueError: If it has another shape, or something in it is no number.
    """
    array: np.ndarray = np.array(values, dtype=kind)
    if array.shape != shape:
        raise ValueError(f"{array.shape} is not {shape}")
    array.flags.writeable = False
    return array


def write(file: Path, content: dict[str, Any]) -> None:
    """Write compact JSON. Whatever happens meanwhile, the file before it stays whole.

    Raises:
        HeadlightError: If it cannot be written.
    """
    text = json.dumps(
        content, default=_lists, sort_keys=True, separators=(",", ":"), allow_nan=False
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


def _lists(array: np.ndarray) -> Any:
    """An array as JSON takes it. Floats keep every digit, so that the same ones are read again."""
    values = array.astype(object)
    values[np.isnan(array)] = None
    return values.tolist()
