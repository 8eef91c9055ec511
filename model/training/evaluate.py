"""Measure a trained encoder: what it predicts on held-out text, and what its heads follow.

    python -m model.training.evaluate --text FILE --treebank FILE

Protocol: ``<unk>`` and ``@-@`` marks of WikiText-2 are taken out; passages of up to 64 tokens,
special tokens counted; 15 % of the tokens are chosen and all of them hidden behind ``[MASK]``. The
unigram baseline always guesses the most frequent tokens of the training text. Which head follows a
grammatical relation is chosen on every other sentence of the treebank, and so is the fixed distance
it has to beat; the accuracies are those on the sentences between.
"""

import argparse
import lzma
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from model.analysis.grammar.relations import DIRECTIONS, tally
from model.analysis.grammar.treebank import parsed_sentences
from model.analysis.measures import share_at_offset, share_on
from model.catalogue import shipped
from model.catalogue.loaded import LoadedModel
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import CONFIG, as_loaded
from model.errors import HeadlightError
from model.training.masking import mask_tokens
from model.training.measure import Accuracy, measure
from model.transformer.language_model import MaskedLanguageModel

LONGEST = 64
SEED = 0


def passages(file: Path, tokenizer: Tokenizer, count: int) -> list[Tensor]:
    """The first passages of a text, special tokens around each, (T,) with T up to 64.

    Raises:
        HeadlightError: If the file is missing or corrupt.
    """
    found: list[Tensor] = []
    for line in _lines(file):
        ids = tokenizer.encode(line, add_special_tokens=False).ids
        for i in range(0, len(ids), LONGEST - 2):
            part = ids[i : i + LONGEST - 2]
            if len(part) > 2:
                cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
                found.append(torch.tensor([cls, *part, sep]))
        if len(found) >= count:
            break
    return found[:count]


def _lines(file: Path) -> Iterator[str]:
    read = lzma.open if file.suffix == ".xz" else open
    try:
        with read(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                text = re.sub(r"<unk>|@-@", " ", line).strip()
                if text and not text.startswith("="):  # headings are no sentences
                    yield re.sub(r"\s+", " ", text)
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise HeadlightError("The text {name} cannot be read.", name=str(file)) from error


def unigram(rows: Sequence[Tensor], guesses: Sequence[int], mask_id: int) -> tuple[float, float]:
    """Share of the masked tokens that the first guess, and that all of them, hit.

    The masked tokens are the ones that :func:`model.training.measure.measure` masks.
    """
    generator = torch.Generator().manual_seed(SEED)
    chosen = []
    for row in rows:
        vocab_size = CONFIG.vocab_size
        _, mask = mask_tokens(row[None], 0.15, mask_id, vocab_size, generator, always_mask=True)
        chosen.append(row[mask[0]])
    hits = torch.cat(chosen)[:, None] == torch.tensor(guesses)  # (M, G)
    return hits[:, 0].float().mean().item(), hits.any(1).float().mean().item()


def load(weights: Path | None) -> MaskedLanguageModel:
    """The model that ships, or one of a file of weights as training keeps them.

    Raises:
        HeadlightError: If it is no such file.
    """
    model = MaskedLanguageModel(CONFIG)
    if weights is None:
        model.load_state_dict(shipped.weights())
        return model.eval()
    try:
        if weights.suffix == ".pt":
            state = torch.load(weights, map_location="cpu", weights_only=True)["model"]
        else:
            state = {name: tensor.float() for name, tensor in load_file(weights).items()}
        model.load_state_dict(state)
    except Exception as error:  # of safetensors, pickle, or a size that differs
        raise HeadlightError(
            "{name} holds no weights of this encoder.", name=str(weights)
        ) from error
    return model.eval()


def offset_shares(model: LoadedModel, text: Path, offset: int, count: int) -> np.ndarray:
    """Mean attention of every head to the token at an offset, over lines of a text: (L, H)."""
    shares = []
    for line in islice(_lines(text), count):
        capture = model.attend(line[:300])
        shares.append(share_at_offset(capture.weights, capture.special, offset))
    return np.nanmean(shares, axis=0)


def resting(model: LoadedModel, text: Path, count: int) -> np.ndarray:
    """Mean attention of every layer's heads on ``[CLS]``, over lines of a text: (L,).

    Near 1, the layer's heads have collapsed: a saturated softmax passes no gradient.
    """
    shares = []
    for line in islice(_lines(text), count):
        capture = model.attend(line[:300])
        shares.append(share_on(capture.weights, np.arange(len(capture.tokens)) == 0).mean(axis=1))
    return np.mean(shares, axis=0)


def evaluate(
    model: MaskedLanguageModel, text: Path, count: int = 500
) -> tuple[Accuracy, tuple[float, float]]:
    """Accuracy on the first passages of a text, and the unigram baseline's top-1 and top-5."""
    tokenizer = bert_tokenizer()
    mask_id = int(tokenizer.token_to_id("[MASK]") or 0)
    rows = passages(text, tokenizer, count)
    baseline = unigram(rows, shipped.history().most_frequent, mask_id)
    return measure(model, iter(rows), mask_id, SEED), baseline


def relation_table(model: LoadedModel, treebank: Path, count: int | None = None) -> list[str]:
    """For each relation the head that follows it best, beside the best fixed distance.

    Returns:
        Rows of a Markdown table, the largest lead first.
    """
    counted = tally(model, islice(parsed_sentences(treebank), count))
    return [
        f"| {found.relation} | {DIRECTIONS[found.direction]} | L{found.layer}·H{found.head} "
        f"| {found.accuracy:.1%} | {found.baseline:.1%} ({found.offset:+d}) | {found.pairs:,} |"
        for found in counted.best_heads()
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print the figures as Markdown tables."""
    parser = argparse.ArgumentParser(prog="python -m model.training.evaluate", description=__doc__)
    parser.add_argument("--text", type=Path, required=True, help="held-out text, .txt or .txt.xz")
    parser.add_argument("--treebank", type=Path, help="a CoNLL-U file")
    parser.add_argument("--weights", type=Path, help="a file of a run; what ships unless given")
    parser.add_argument("--passages", type=int, default=500)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)  # sequences are short: more threads would wait for one another
    try:
        for line in _report(options):
            print(line)  # noqa: T201 - a command's answer
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _report(options: argparse.Namespace) -> Iterator[str]:
    model = load(options.weights)
    found, (first, five) = evaluate(model, options.text, options.passages)
    yield f"{found.count:,} masked tokens, seed {SEED}"
    yield "| | loss | top-1 | top-5 |\n|---|---:|---:|---:|"
    yield f"| unigram | | {first:.1%} | {five:.1%} |"
    yield f"| encoder | {found.loss:.3f} | {found.top1:.1%} | {found.top5:.1%} |"
    loaded = as_loaded("measured", model.encoder, bert_tokenizer())
    for name, offset in (("previous", -1), ("next", 1)):
        shares = offset_shares(loaded, options.text, offset, 200)
        layer, head = np.unravel_index(shares.argmax(), shares.shape)
        yield f"Most attention to the {name} token: L{layer}·H{head}, {shares[layer, head]:.2f}"
    resting_on_cls = ", ".join(f"{share:.2f}" for share in resting(loaded, options.text, 50))
    yield f"Mean attention on [CLS], layer by layer: {resting_on_cls}"
    if options.treebank:
        yield "| relation | direction | head | accuracy | fixed distance | pairs |"
        yield "|---|---|---|---:|---:|---:|"
        yield from relation_table(loaded, options.treebank)


if __name__ == "__main__":
    sys.exit(main())
