"""The atlas of a model: what each of its heads does over a whole treebank.

``python -m model.analysis.grammar.survey`` measures one. Those that ship lie in ``model/atlases``;
README.md there says what is in them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from model.analysis.grammar.files import BROKEN, read_array, unpacked
from model.analysis.grammar.relations import Finding, Halves
from model.analysis.labels import Label, labels
from model.errors import HeadlightError

FOLDER = Path(__file__).parents[2] / "atlases"


@dataclass(frozen=True, eq=False)
class Atlas:
    """What every head of a model does over a treebank.

    Attributes:
        model: Its name.
        model_sha256: Of its weights, see :func:`model.analysis.grammar.survey.fingerprint`.
        corpus: Name of the treebank's file.
        sentences: How many there were.
        words: How many they had.
        means: Every measure of :func:`model.analysis.measures.profile`, (L, H), the mean over the
            sentences in which it is a number; not a number if it never is.
        relations: Which head met how many pairs of words. Shared: to be read only.
    """

    model: str
    model_sha256: str
    corpus: str
    sentences: int
    words: int
    means: Mapping[str, np.ndarray]
    relations: Halves

    @cached_property
    def labels(self) -> list[list[Label]]:
        """What every head is called by its means, ``[layer][head]``."""
        return labels(self.means)

    @cached_property
    def _followed(self) -> list[list[Finding | None]]:
        n_layers, n_heads = self.means["entropy"].shape
        return [
            [self.relations.follows(layer, head) for head in range(n_heads)]
            for layer in range(n_layers)
        ]

    def best_heads(self) -> list[Finding]:
        """For each relation the head that meets it most; see :meth:`Halves.best_heads`."""
        return self.relations.best_heads()

    def follows(self, layer: int, head: int) -> Finding | None:
        """The relation that a head follows best, if any; see :meth:`Halves.follows`."""
        return self._followed[layer][head]


# Few: a name is anything that a visitor types.
@lru_cache(maxsize=16)
def read_atlas(name: str, folder: Path = FOLDER) -> Atlas | None:
    """The atlas of a model, or None if it has none.

    Raises:
        HeadlightError: If its file is broken.
    """
    # Looked up in the list, never put into a path: a name can be a path of its own.
    file = {path.stem: path for path in folder.glob("*.json")}.get(name)
    if file is None:
        return None
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
            relations=unpacked(read["relations"], shape),
        )
    except BROKEN as error:
        raise HeadlightError(
            "The atlas {file} of this copy of Headlight is broken: fetch the repository again.",
            file=file.name,
        ) from error
