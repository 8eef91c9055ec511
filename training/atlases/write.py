"""Write the atlas of a model: ``python -m training.atlases.write --model NAME --treebank FILE``.

It holds all measures (:mod:`model.analysis.measures`) and the counts of grammatical relations.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.analysis.grammar.atlas import own_file, save_atlas
from model.analysis.grammar.relations import RelationCounts
from model.analysis.measures import profile
from model.analysis.survey.spread import load
from model.analysis.survey.table import means
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.model_size import fingerprint
from model.errors import HeadlightError
from training.atlases.counting import count_sentence
from training.atlases.treebank import read_treebank
from training.command import run_command
from training.release import sha256_of_file


def write_atlas(model: LoadedModel, corpus: Path, out: Path) -> None:
    """Measure every head of a model over a treebank, and write its atlas."""
    # Parse the whole file first, so that an error on its last line is reported before the work.
    sentences = list(read_treebank(corpus))
    if not sentences:
        raise HeadlightError(
            "The treebank {name} has no sentences. Choose another file.", name=str(corpus)
        )
    if out.is_dir():
        raise HeadlightError("{out} is a folder. Name a file with --out.", out=str(out))
    if not out.parent.is_dir():
        raise HeadlightError(
            "There is no folder {folder}. Create it first.", folder=str(out.parent)
        )
    relations, measured, cut = RelationCounts(), [], 0
    for index, sentence in enumerate(tqdm(sentences, unit=" sentences", dynamic_ncols=True)):
        capture = model.attend(sentence.text)
        found = profile(capture)
        measured.append(np.array([*found.values()]))  # (M, L, H)
        count_sentence(relations, index, sentence, capture)
        cut += capture.left_out[0] != ""
    lengths = [len(sentence.words) for sentence in sentences]
    origin = {
        "model": model.name,
        "model_sha256": fingerprint(model.module),
        "corpus": corpus.name,
        "corpus_sha256": sha256_of_file(corpus),
        "sentences": len(sentences),
        "words": sum(lengths),
        "longest": max(lengths),
        "cut": cut,
    }
    save_atlas(out, origin, dict(zip(found, means(np.array(measured)), strict=True)), relations)


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
