"""Atlases: what every head of a model does over many sentences, one file for each model.

Those in the repository are in ``model/atlases``; its README.md describes the files.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from platformdirs import user_data_path

from model.analysis.grammar.files import (
    READ_ERRORS,
    pack_relations,
    read_array,
    unpack_relations,
    write_json,
)
from model.analysis.grammar.relations import Finding, RelationCounts
from model.analysis.labels import Label, labels
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError

FOLDER = Path(__file__).parents[2] / "atlases"


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
    def labels(self) -> list[list[Label]]:
        """Label of every head by its means, ``[layer][head]``."""
        return labels(self.means)

    @cached_property
    def _followed_relations(self) -> list[list[Finding | None]]:
        n_layers, n_heads = self.means["entropy"].shape
        return [
            [self.relations.followed_relation(layer, head) for head in range(n_heads)]
            for layer in range(n_layers)
        ]

    def best_heads(self) -> list[Finding]:
        """The most accurate head for each relation; see :meth:`RelationCounts.best_heads`."""
        return self.relations.best_heads()

    def followed_relation(self, layer: int, head: int) -> Finding | None:
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
