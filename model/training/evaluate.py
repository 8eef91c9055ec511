"""Measure a trained encoder: what it predicts on held-out text, and what its heads follow.

    python -m model.training.evaluate --text FILE --treebank FILE

Protocol: the whole text, ``<unk>`` and ``@-@`` marks of WikiText-2 taken out, in passages of up to
64 tokens, special tokens counted; 15 % of the tokens are chosen and all of them hidden behind
``[MASK]``. Attention is that of the same passages with nothing hidden, beyond 64 tokens that of
passages as long. The unigram baseline always guesses the most frequent tokens of the training text.
Which head follows a grammatical relation is chosen on every other sentence of the treebank, and so
is the fixed distance it has to beat; the accuracies are those on the sentences between.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from model.analysis.grammar.relations import DIRECTIONS, tally
from model.analysis.grammar.treebank import parsed_sentences
from model.catalogue import shipped
from model.catalogue.loaded import LoadedModel
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import CONFIG, LONGEST, as_loaded
from model.errors import HeadlightError
from model.training.held_out import SEED, passages
from model.training.masking import mask_tokens
from model.training.measure import Accuracy, measure, offset_shares, resting
from model.transformer.language_model import MaskedLanguageModel

LENGTHS = (32, LONGEST, 128, 256)
"""Tokens of the passages on which heads are compared, up to the training's and beyond."""


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


def at_lengths(
    model: LoadedModel, text: Path, offset: int, lengths: Sequence[int] = LENGTHS
) -> Iterator[tuple[int, int, np.ndarray]]:
    """How attention to the token at an offset keeps up as passages grow.

    Yields:
        A number of tokens, how many passages of a text have exactly that many when it is cut there,
        and :func:`offset_shares` of those, (L, H). Lengths that no passage has are left out.
    """
    for longest in lengths:
        found = passages(text, bert_tokenizer(), longest=longest)
        rows = [row for row in found if len(row) == longest]
        if rows:
            yield longest, len(rows), offset_shares(model, rows, (offset,))[0]


def evaluate(
    model: MaskedLanguageModel, rows: Sequence[Tensor]
) -> tuple[Accuracy, tuple[float, float]]:
    """Accuracy on passages, and the unigram baseline's top-1 and top-5."""
    mask_id = int(bert_tokenizer().token_to_id("[MASK]") or 0)
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
    parser.add_argument("--passages", type=int, help="the first so many alone; all unless given")
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
    rows = passages(options.text, bert_tokenizer(), options.passages)
    found, (first, five) = evaluate(model, rows)
    yield f"{found.count:,} masked tokens of {len(rows):,} passages, seed {SEED}"
    yield "| | loss | top-1 | top-5 |\n|---|---:|---:|---:|"
    yield f"| unigram | | {first:.1%} | {five:.1%} |"
    yield f"| encoder | {found.loss:.3f} | {found.top1:.1%} | {found.top5:.1%} |"
    loaded = as_loaded("measured", model.encoder, bert_tokenizer())
    yield from _looks(loaded, options.text, rows)
    if options.treebank:
        yield "| relation | direction | head | accuracy | fixed distance | pairs |"
        yield "|---|---|---|---:|---:|---:|"
        yield from relation_table(loaded, options.treebank)


def _looks(model: LoadedModel, text: Path, rows: Sequence[Tensor]) -> Iterator[str]:
    """Which heads look at their neighbours most, how far they keep to it, and who rests."""
    offsets = {"previous": -1, "next": 1}
    whole = offset_shares(model, rows, tuple(offsets.values()))
    for (name, offset), shares in zip(offsets.items(), whole, strict=True):
        best = np.unravel_index(shares.argmax(), shares.shape)
        yield f"Most attention to the {name} token: L{best[0]}·H{best[1]}, {shares[best]:.2f}"
        for longest, count, of_length in at_lengths(model, text, offset):
            yield f"  in {count:,} passages of {longest} tokens {of_length[best]:.2f}"
    resting_on_cls = ", ".join(f"{share:.2f}" for share in resting(model, rows))
    yield f"Mean attention on [CLS], layer by layer: {resting_on_cls}"


if __name__ == "__main__":
    sys.exit(main())
