"""Measure what each head of a model does over a whole treebank, and write its atlas.

    python -m model.analysis.grammar.survey --model NAME --corpus FILE.conllu --out FILE

Measures every head by every number of :func:`model.analysis.measures.profile`, and counts which
grammatical relations it follows. Run it again to go on where it stopped, however it stopped: it
ends in the same bytes.
"""

import argparse
import hashlib
import json
import sys
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from model.analysis.grammar.files import BROKEN, packed, read_array, unpacked, write
from model.analysis.grammar.relations import Halves
from model.analysis.grammar.treebank import Parsed, parsed_sentences
from model.analysis.measures import profile
from model.capture.record import AttentionCapture
from model.catalogue.loaded import LoadedModel
from model.catalogue.models import load_encoder
from model.errors import HeadlightError

BATCH = 100
"""Sentences between two saves: a few seconds."""


def fingerprint(model: LoadedModel) -> str:
    """The sha256 of a model's weights: names in order, each with its numbers in 32 bits."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.module.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.float().numpy().tobytes())
    return digest.hexdigest()


@dataclass
class Counts:
    """What has been counted so far.

    Attributes:
        sentences: That were measured.
        words: That they had.
        longest: Words of the longest.
        cut: Sentences that were longer than the model reads, and measured as far as it does.
        sums: Of every measure, over the sentences in which it is a number, (L, H).
        counted: How many sentences those were, (L, H).
        relations: Which head met how many pairs of words.
    """

    sentences: int = 0
    words: int = 0
    longest: int = 0
    cut: int = 0
    sums: dict[str, np.ndarray] = field(default_factory=dict)
    counted: dict[str, np.ndarray] = field(default_factory=dict)
    relations: Halves = field(default_factory=Halves)

    def add(self, sentence: Parsed, capture: AttentionCapture) -> None:
        """Count one more sentence."""
        for name, values in profile(capture).items():
            occurs = ~np.isnan(values)
            self.sums[name] = self.sums.get(name, 0) + np.where(occurs, values, 0).astype(float)
            self.counted[name] = self.counted.get(name, 0) + occurs.astype(int)
        self.relations.add(self.sentences, sentence, capture)
        self.sentences += 1
        self.words += len(sentence.words)
        self.longest = max(self.longest, len(sentence.words))
        self.cut += capture.left_out[0] != ""

    def totals(self) -> dict[str, int]:
        """The single numbers, by name."""
        return {name: getattr(self, name) for name in ("sentences", "words", "longest", "cut")}

    def means(self) -> dict[str, np.ndarray]:
        """Of every measure, (L, H); not a number where it never was one."""
        return {
            name: np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
            for name, total in self.sums.items()
            for n in [self.counted[name]]
        }


def survey(model: LoadedModel, corpus: Path, out: Path, batch: int = BATCH) -> None:
    """Measure every head of a model over a treebank, and write its atlas.

    Until it is written, what has been counted is kept beside it, in FILE.part.

    Args:
        model: Whose heads.
        corpus: A CoNLL-U file.
        out: The file to write.
        batch: Sentences between two saves; the atlas does not depend on it.

    Raises:
        HeadlightError: If the treebank cannot be read, a file cannot be written, or the counts that
            were kept are of another model or treebank.
    """
    # All of it is parsed once before anything is measured: a mistake on its last line is told now.
    total = sum(1 for _ in parsed_sentences(corpus))
    if not total:
        raise HeadlightError("The treebank {name} has no sentences.", name=str(corpus))
    if out.is_dir():
        raise HeadlightError("{out} is a folder: name a file with --out.", out=str(out))
    shape = model.n_layers, model.n_heads
    origin = {"model_sha256": fingerprint(model), "corpus_sha256": _sha256(corpus)}
    part = out.with_name(f"{out.name}.part")
    counts = _kept(part, origin, shape)
    _keep(part, origin, counts, shape)  # so that a folder that takes no file is told now, too
    rest = islice(parsed_sentences(corpus), counts.sentences, None)
    with tqdm(total=total, initial=counts.sentences, unit=" sentences", dynamic_ncols=True) as bar:
        for sentence in rest:
            counts.add(sentence, model.attend(sentence.text))
            bar.update()
            if counts.sentences % batch == 0:
                _keep(part, origin, counts, shape)
    atlas = {
        "provenance": {**origin, "model": model.name, "corpus": corpus.name, **counts.totals()},
        "n_layers": model.n_layers,
        "n_heads": model.n_heads,
        "means": counts.means(),
        "relations": packed(counts.relations, shape),
    }
    write(out, atlas)
    part.unlink()


def _sha256(file: Path) -> str:
    with file.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def _keep(part: Path, origin: dict[str, str], counts: Counts, shape: tuple[int, int]) -> None:
    arrays = {"sums": counts.sums, "counted": counts.counted}
    relations = packed(counts.relations, shape)
    write(part, {**origin, **counts.totals(), **arrays, "relations": relations})


def _kept(part: Path, origin: dict[str, str], shape: tuple[int, int]) -> Counts:
    """What an earlier run of the same measurement counted; nothing if there was none."""
    try:
        read = json.loads(part.read_text(encoding="utf-8"))
        other = [name.removesuffix("_sha256") for name in origin if read[name] != origin[name]]
        if not other:
            return Counts(
                **{name: read[name] for name in Counts().totals()},
                sums={name: read_array(sums, float, shape) for name, sums in read["sums"].items()},
                counted={name: read_array(n, int, shape) for name, n in read["counted"].items()},
                relations=unpacked(read["relations"], shape),
            )
    except FileNotFoundError:
        return Counts()
    except BROKEN as error:
        raise HeadlightError(
            "{part} is not what a measurement leaves behind: delete it to begin anew.",
            part=str(part),
        ) from error
    raise HeadlightError(
        "{part} holds the counts of another {what}: delete it to begin anew, or name another file "
        "with --out.",
        part=str(part),
        what=" and ".join(other),
    )


def main(arguments: list[str] | None = None) -> int:
    """Read the command line, and say in words what went wrong if something did."""
    parser = argparse.ArgumentParser(
        prog="python -m model.analysis.grammar.survey", description=__doc__
    )
    parser.add_argument("--model", required=True, help="name, hub id or folder")
    parser.add_argument("--corpus", type=Path, required=True, help="a CoNLL-U file")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)  # sequences are short: more threads would wait for one another
    try:
        survey(load_encoder(options.model), options.corpus, options.out)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
