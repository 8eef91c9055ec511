"""Measurement of each head of a model over a treebank, written as its atlas.

The atlas holds the measures of :func:`model.analysis.measures.profile` and the counts of
grammatical relations. An interrupted run resumes where it stopped and ends in the same bytes.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.analysis.grammar.files import (
    READ_ERRORS,
    pack_relations,
    read_array,
    unpack_relations,
    write_json,
)
from model.analysis.grammar.relations import RelationCounts
from model.analysis.grammar.treebank import ParsedSentence, read_treebank
from model.analysis.measures import profile
from model.analysis.survey.data import read_texts
from model.capture.record import AttentionCapture
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.model_size import fingerprint
from model.errors import HeadlightError

BATCH = 100
"""Sentences between two saves: a few seconds."""


@dataclass(frozen=True)
class PlainSentence:
    """A sentence without a tree."""

    text: str

    @property
    def words(self) -> list[str]:
        """Words between spaces."""
        return self.text.split()


@dataclass
class Counts:
    """Counts over the sentences measured so far.

    Attributes:
        cut: Number of sentences beyond the model's length, measured up to that length.
        sums: Sum of every measure over the sentences in which it is a number, (L, H).
        counted: Number of those sentences, (L, H).
    """

    sentences: int = 0
    words: int = 0
    longest: int = 0
    cut: int = 0
    sums: dict[str, np.ndarray] = field(default_factory=dict)
    counted: dict[str, np.ndarray] = field(default_factory=dict)
    relations: RelationCounts = field(default_factory=RelationCounts)

    def add(self, sentence: ParsedSentence | PlainSentence, capture: AttentionCapture) -> None:
        """Count one more sentence."""
        for name, values in profile(capture).items():
            valid = ~np.isnan(values)
            self.sums[name] = self.sums.get(name, 0) + np.where(valid, values, 0).astype(float)
            self.counted[name] = self.counted.get(name, 0) + valid.astype(int)
        if isinstance(sentence, ParsedSentence):
            self.relations.add(self.sentences, sentence, capture)
        self.sentences += 1
        self.words += len(sentence.words)
        self.longest = max(self.longest, len(sentence.words))
        self.cut += capture.left_out[0] != ""

    def totals(self) -> dict[str, int]:
        """Scalar counts by name."""
        return {name: getattr(self, name) for name in ("sentences", "words", "longest", "cut")}

    def means(self) -> dict[str, np.ndarray]:
        """Mean of every measure, (L, H); NaN where it never was a number."""
        return {
            name: np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
            for name, total in self.sums.items()
            for n in [self.counted[name]]
        }


def write_atlas(
    model: LoadedModel, corpus: Path, out: Path, batch: int = BATCH, *, column: str = "text"
) -> None:
    """Measure every head of a model over a treebank or a data set, and write its atlas.

    Until the atlas is complete, the counts are saved beside it, in FILE.part.

    Args:
        corpus: CoNLL-U file, or another file of texts, without relations.
        batch: Sentences between two saves; the atlas does not depend on it.

    Raises:
        HeadlightError: If the treebank is empty or cannot be read, a file cannot be written, or
            saved counts belong to another model or treebank.
    """
    # Parse the whole file first, so that an error on its last line is reported before the work.
    total = sum(1 for _ in _sentences(corpus, column))
    if not total:
        raise HeadlightError(
            "The treebank {name} has no sentences. Choose another file.", name=str(corpus)
        )
    if out.is_dir():
        raise HeadlightError("{out} is a folder. Name a file with --out.", out=str(out))
    shape = model.n_layers, model.n_heads
    origin = {"model_sha256": fingerprint(model.module), "corpus_sha256": _sha256(corpus)}
    part = out.with_name(f"{out.name}.part")
    counts = _load_progress(part, origin, shape)
    _save_progress(part, origin, counts, shape)  # fail early if the folder is not writable
    rest = islice(_sentences(corpus, column), counts.sentences, None)
    with tqdm(total=total, initial=counts.sentences, unit=" sentences", dynamic_ncols=True) as bar:
        for sentence in rest:
            counts.add(sentence, model.attend(sentence.text))
            bar.update()
            if counts.sentences % batch == 0:
                _save_progress(part, origin, counts, shape)
    origin |= {"model": model.name, "corpus": corpus.name}
    save_atlas(out, {**origin, **counts.totals()}, counts.means(), counts.relations)
    part.unlink()


def save_atlas(
    out: Path,
    origin: Mapping[str, object],
    means: Mapping[str, np.ndarray],
    relations: RelationCounts,
) -> None:
    """Write an atlas.

    Args:
        origin: The model, the corpus, their hashes, and the counts of sentences and words.
        means: Every measure, (L, H).

    Raises:
        HeadlightError: If the file cannot be written.
    """
    n_layers, n_heads = next(iter(means.values())).shape
    atlas = {
        "provenance": origin,
        "n_layers": n_layers,
        "n_heads": n_heads,
        "means": means,
        "relations": pack_relations(relations, (n_layers, n_heads)),
    }
    write_json(out, atlas)


def _sentences(corpus: Path, column: str) -> Iterator[ParsedSentence | PlainSentence]:
    if corpus.suffix == ".conllu":
        return read_treebank(corpus)
    return map(PlainSentence, read_texts(corpus, column))


def _sha256(file: Path) -> str:
    with file.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def _save_progress(
    part: Path, origin: dict[str, str], counts: Counts, shape: tuple[int, int]
) -> None:
    arrays = {"sums": counts.sums, "counted": counts.counted}
    relations = pack_relations(counts.relations, shape)
    write_json(part, {**origin, **counts.totals(), **arrays, "relations": relations})


def _load_progress(part: Path, origin: dict[str, str], shape: tuple[int, int]) -> Counts:
    """Counts saved by an interrupted run of the same measurement, or empty counts."""
    try:
        read = json.loads(part.read_text(encoding="utf-8"))
        different = [name.removesuffix("_sha256") for name in origin if read[name] != origin[name]]
        if not different:
            return Counts(
                **{name: read[name] for name in Counts().totals()},
                sums={name: read_array(sums, float, shape) for name, sums in read["sums"].items()},
                counted={name: read_array(n, int, shape) for name, n in read["counted"].items()},
                relations=unpack_relations(read["relations"], shape),
            )
    except FileNotFoundError:
        return Counts()
    except READ_ERRORS as error:
        raise HeadlightError(
            "{part} is not a file of partial counts. Delete it to start again.",
            part=str(part),
        ) from error
    raise HeadlightError(
        "{part} holds the counts of another {what}. Delete it to start again, or name "
        "another file with --out.",
        part=str(part),
        what=" and ".join(different),
    )
