"""Atlases: what every head of a model does over many sentences, one file for each model.

Those in the repository are in ``model/atlases``; its README.md describes the files.
"""

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_data_path

from model.analysis.grammar.relations import FollowedRelation, RelationCounts, Tally
from model.analysis.labels import HeadLabel, labels
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError

FOLDER = Path(__file__).parents[2] / "atlases"

READ_ERRORS = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""Exceptions raised while reading JSON with unexpected content."""


@dataclass(frozen=True, eq=False)
class Atlas:
    """Measures of every head of a model over a treebank.

    Attributes:
        model_sha256: Hash of its weights, see :func:`model.catalogue.model_size.fingerprint`.
        means: Every measure of :func:`model.analysis.measures.profile`, (L, H): the mean over the
            sentences in which it is a number, NaN if there are none.
    """

    model: str
    model_sha256: str
    corpus: str
    sentences: int
    words: int
    means: Mapping[str, np.ndarray]
    relations: RelationCounts

    @cached_property
    def labels(self) -> list[list[HeadLabel]]:
        """Label of every head by its means, ``[layer][head]``."""
        return labels(self.means)

    @cached_property
    def _followed_relations(self) -> list[list[FollowedRelation | None]]:
        n_layers, n_heads = self.means["entropy"].shape
        return [
            [self.relations.followed_relation(layer, head) for head in range(n_heads)]
            for layer in range(n_layers)
        ]

    def best_heads(self) -> list[FollowedRelation]:
        """The most accurate head for each relation; see :meth:`RelationCounts.best_heads`."""
        return self.relations.best_heads()

    def followed_relation(self, layer: int, head: int) -> FollowedRelation | None:
        """Relation that a head follows best, if any."""
        return self._followed_relations[layer][head]


def own_file(model: LoadedModel) -> Path:
    """Path of the atlas that a survey on this machine writes, named by the hash of the weights."""
    folder = user_data_path("headlight", appauthor=False) / "atlases"
    return folder / f"{model.origin['weights_sha256']}.json"


def find_atlas(model: LoadedModel) -> Atlas | None:
    """Read the atlas of a model, None without one: surveyed on this machine, or shipped."""
    file = own_file(model)
    return _read(file, file.stat().st_mtime_ns) if file.is_file() else read_atlas(model.name)


def save_atlas(
    out: Path,
    origin: Mapping[str, object],
    means: Mapping[str, np.ndarray],
    relations: RelationCounts | None = None,
) -> None:
    """Write an atlas: its origin (model, corpus, hashes, counts) and every measure, (L, H)."""
    n_layers, n_heads = next(iter(means.values())).shape
    atlas = {
        "provenance": origin,
        "n_layers": n_layers,
        "n_heads": n_heads,
        "means": means,
        "relations": pack_relations(relations or RelationCounts(), (n_layers, n_heads)),
    }
    write_json(out, atlas)


def read_atlas(name: str, folder: Path = FOLDER) -> Atlas | None:
    """Read the atlas of a model, shared by all callers; None if it has none."""
    # Look the name up in the listing. Joined to the folder, it could lead outside.
    file = {path.stem: path for path in folder.glob("*.json")}.get(name)
    return None if file is None else _read(file, file.stat().st_mtime_ns)


# Small, because a visitor can request any name.
@lru_cache(maxsize=16)
def _read(file: Path, _modified: int) -> Atlas:
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
        shape = read["n_layers"], read["n_heads"]
        origin = read["provenance"]
        return Atlas(
            model=origin["model"],
            model_sha256=origin["model_sha256"],
            corpus=origin["corpus"],
            sentences=origin["sentences"],
            words=origin["words"],
            means={name: read_array(mean, float, shape) for name, mean in read["means"].items()},
            relations=unpack_relations(read["relations"], shape),
        )
    except READ_ERRORS as error:
        raise HeadlightError(
            "The atlas {file} is damaged. Run the survey of its model again.", file=str(file)
        ) from error


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
