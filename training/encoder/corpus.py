"""Training batches of token ids from text files, tokenised once into a cache.

All batches are functions of the seed and the epoch, so that a run can resume at any batch.
"""

import hashlib
import json
import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from model.errors import HeadlightError

HELD_OUT = ("wikitext2", "en_ewt-ud-dev")
"""Prefixes of the names of held-out files, which are never trained on."""

# A sentence ends in . ! or ? and an optional quote, before a space and a capital or quote.
_END = re.compile(r"""(?<=[.!?])['")\]]*\s+(?=['"(\[]*[A-Z0-9])""")


@dataclass(frozen=True)
class Corpus:
    """A tokenised corpus.

    Attributes:
        ids: Concatenated sentences without special tokens, uint16, (N,).
        starts: Start of each sentence in ``ids``, and the end of the last one, int64, (S + 1,).
        counts: Number of occurrences of each id, int64, (vocab_size,).
    """

    ids: np.ndarray
    starts: np.ndarray
    counts: np.ndarray


def training_files(folder: Path) -> list[Path]:
    """The corpus files of a folder, ``.txt.xz``, by name, without held-out files."""
    files = sorted(f for f in folder.glob("*.txt.xz") if not f.name.startswith(HELD_OUT))
    if not files:
        raise HeadlightError(
            "{folder} has no corpus. Headlight trains on files that end in .txt.xz.",
            folder=str(folder),
        )
    return files


def load_corpus(files: Sequence[Path], tokenizer: Tokenizer, cache: Path) -> Corpus:
    """Tokenise the files, none of them held out, or read the cache of the same files."""
    key = _key(files, tokenizer)
    if not (cache / "key.json").is_file() or json.loads((cache / "key.json").read_text()) != key:
        _build(files, tokenizer, cache)
        (cache / "key.json").write_text(json.dumps(key))
    return Corpus(
        np.load(cache / "ids.npy", mmap_mode="r"),
        np.load(cache / "starts.npy"),
        np.load(cache / "counts.npy"),
    )


def _key(files: Sequence[Path], tokenizer: Tokenizer) -> dict[str, object]:
    for file in files:
        if file.name.startswith(HELD_OUT):
            raise HeadlightError("{name} is held-out text. Do not train on it.", name=file.name)
        if not file.is_file():
            raise HeadlightError("The corpus file {name} is missing.", name=str(file))
    vocabulary = hashlib.sha256(tokenizer.to_str().encode()).hexdigest()
    return {"files": [[f.name, f.stat().st_size] for f in files], "tokenizer": vocabulary}


def _build(files: Sequence[Path], tokenizer: Tokenizer, cache: Path) -> None:
    rows: list[np.ndarray] = []
    texts = chain.from_iterable(map(sentences, files))
    while batch := list(islice(texts, 4096)):
        encodings = tokenizer.encode_batch(batch, add_special_tokens=False)
        rows += [np.array(each.ids, dtype=np.uint16) for each in encodings if len(each)]
    ids = np.concatenate(rows)
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
    cache.mkdir(parents=True, exist_ok=True)
    np.save(cache / "ids.npy", ids)
    np.save(cache / "starts.npy", starts)
    np.save(cache / "counts.npy", np.bincount(ids, minlength=tokenizer.get_vocab_size()))


def sentences(file: Path) -> Iterator[str]:
    """The sentences of an xz file."""
    try:
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield from (s for s in _END.split(line.strip()) if s)
    except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise HeadlightError(
            "The corpus file {name} is damaged. Fetch it again. Nothing was trained on it.",
            name=str(file),
        ) from error


# -- batches -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packing:
    """How sentences become sequences; lengths are in tokens, without special tokens."""

    shortest: int = 12
    longest: int = 62
    single: float = 0.35
    batch_tokens: int = 4096


def batches(corpus: Corpus, packing: Packing, seed: int, epoch: int) -> list[np.ndarray]:
    """One pass over the corpus in batches of equally long sequences, without padding or masks.

    The order of training, int64 (B, 2) each: start and end of each sequence in ``corpus.ids``.
    """
    rng = np.random.default_rng([seed, epoch])
    spans = _spans(corpus.starts, packing, rng)
    spans = spans[rng.permutation(len(spans))]
    lengths = spans[:, 1] - spans[:, 0]
    found = []
    for length in np.unique(lengths):
        group = spans[lengths == length]
        size = max(1, packing.batch_tokens // (int(length) + 2))  # [CLS] and [SEP]
        found += [group[i : i + size] for i in range(0, len(group), size)]
    return [found[i] for i in rng.permutation(len(found))]


def _spans(starts: np.ndarray, packing: Packing, rng: np.random.Generator) -> np.ndarray:
    """Pack adjacent sentences up to random lengths, and cut longer sentences."""
    n_sentences = len(starts) - 1
    targets = rng.integers(packing.shortest, packing.longest, n_sentences, endpoint=True)
    targets[rng.random(n_sentences) < packing.single] = 0  # a single sentence
    edges = starts.tolist()
    wanted = targets.tolist()
    spans = []
    at = 0
    while at < n_sentences:
        begin, end = edges[at], edges[at + 1]
        target = wanted[at]
        at += 1
        while at < n_sentences and edges[at + 1] - begin <= target:
            end = edges[at + 1]
            at += 1
        while end - begin > packing.longest:
            spans.append((begin, begin + packing.longest))
            begin += packing.longest
        if end - begin >= 3:  # skips one word with its full stop
            spans.append((begin, end))
    return np.array(spans, dtype=np.int64)


def sequences(corpus: Corpus, batch: np.ndarray, opening: int, closing: int) -> np.ndarray:
    """The token ids of a batch with special tokens, (B, 2) -> int64 (B, T)."""
    length = int(batch[0, 1] - batch[0, 0])
    rows = corpus.ids[batch[:, :1] + np.arange(length)]  # (B, T - 2)
    framed = np.empty((len(batch), length + 2), dtype=np.int64)
    framed[:, 0], framed[:, 1:-1], framed[:, -1] = opening, rows, closing
    return framed
