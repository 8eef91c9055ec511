"""Write the atlas of a model: ``python -m training.atlases.write --model NAME --treebank FILE``.

The atlas holds the measures of :func:`model.analysis.measures.profile` and the counts of
grammatical relations.
"""

import argparse
import hashlib
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.analysis.grammar.atlas import own_file, save_atlas
from model.analysis.grammar.relations import RelationCounts
from model.analysis.measures import profile
from model.analysis.survey.spread import load
from model.capture.record import AttentionCapture
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.model_size import fingerprint
from model.errors import HeadlightError
from training.atlases.counting import count_sentence
from training.atlases.treebank import ParsedSentence, read_treebank
from training.command import run_command


@dataclass
class Counts:
    """Counts over the sentences measured so far.

    Attributes:
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

    def add(self, sentence: ParsedSentence, capture: AttentionCapture) -> None:
        """Count one more sentence."""
        for name, values in profile(capture).items():
            valid = ~np.isnan(values)
            self.sums[name] = self.sums.get(name, 0) + np.where(valid, values, 0).astype(float)
            self.counted[name] = self.counted.get(name, 0) + valid.astype(int)
        count_sentence(self.relations, self.sentences, sentence, capture)
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


def write_atlas(model: LoadedModel, corpus: Path, out: Path) -> None:
    """Measure every head of a model over a treebank, and write its atlas."""
    # Parse the whole file first, so that an error on its last line is reported before the work.
    total = sum(1 for _ in read_treebank(corpus))
    if not total:
        raise HeadlightError(
            "The treebank {name} has no sentences. Choose another file.", name=str(corpus)
        )
    if out.is_dir():
        raise HeadlightError("{out} is a folder. Name a file with --out.", out=str(out))
    if not out.parent.is_dir():
        raise HeadlightError(
            "There is no folder {folder}. Create it first.", folder=str(out.parent)
        )
    counts = Counts()
    for sentence in tqdm(read_treebank(corpus), total=total, unit=" sentences", dynamic_ncols=True):
        counts.add(sentence, model.attend(sentence.text))
    origin = {
        "model": model.name,
        "model_sha256": fingerprint(model.module),
        "corpus": corpus.name,
        "corpus_sha256": _sha256(corpus),
    }
    save_atlas(out, {**origin, **counts.totals()}, counts.means(), counts.relations)


def _sha256(file: Path) -> str:
    with file.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and write the atlas."""
    parser = argparse.ArgumentParser(prog="python -m training.atlases.write", description=__doc__)
    parser.add_argument("--model", required=True, help="name, hub id or folder")
    parser.add_argument("--treebank", type=Path, required=True, help="a CoNLL-U file")
    parser.add_argument("--out", type=Path, help="default: where the Heads page finds it")
    return run_command(_write, parser, arguments)


def _write(options: argparse.Namespace) -> None:
    model = load(options.model, "cpu", "float32")
    out: Path = options.out or own_file(model)
    if options.out is None:
        out.parent.mkdir(parents=True, exist_ok=True)
    write_atlas(model, options.treebank, out)
    print(out)  # noqa: T201 - a command's answer


if __name__ == "__main__":
    sys.exit(main())
