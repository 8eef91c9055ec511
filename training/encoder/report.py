"""Report on a trained encoder: accuracy on held-out text, and relations of its heads.

Protocol: the whole text without WikiText-2's ``<unk>`` and ``@-@`` marks, in passages of up to 64
tokens, special tokens included. 15 % of the tokens are selected, and all of them are hidden by
``[MASK]``. Attention is measured on the same passages with nothing hidden. The unigram baseline
always predicts the most frequent tokens of the training text. The best head of each grammatical
relation and the best fixed distance are selected on every other sentence of the treebank; the
accuracies are those on the remaining sentences.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from model.analysis.grammar.relations import DIRECTIONS
from model.catalogue import encoder_files
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import CONFIG, TRAINED_LENGTH, as_loaded
from model.errors import HeadlightError
from model.transformer.language_model import MaskedLanguageModel
from training.atlases.counting import tally
from training.atlases.treebank import read_treebank
from training.encoder.held_out import SEED, passages
from training.encoder.masking import mask_tokens
from training.encoder.measure import Accuracy, measure, offset_shares, resting

LENGTHS = (32, TRAINED_LENGTH, 128, 256)
"""Passage lengths in tokens for the comparison of heads, some longer than in training."""


def unigram(rows: Sequence[Tensor], guesses: Sequence[int], mask_id: int) -> tuple[float, float]:
    """Accuracy of constant guesses on the tokens that :func:`.measure.measure` masks.

    Args:
        rows: Token ids of the passages, (T,) each.
        guesses: Ids of the guesses, the most frequent first.

    Returns:
        Share of masked tokens equal to the first guess, and share equal to any guess.
    """
    generator = torch.Generator().manual_seed(SEED)
    selection = []
    for row in rows:
        vocab_size = CONFIG.vocab_size
        _, mask = mask_tokens(row[None], 0.15, mask_id, vocab_size, generator, always_mask=True)
        selection.append(row[mask[0]])
    hits = torch.cat(selection)[:, None] == torch.tensor(guesses)  # (M, G)
    return hits[:, 0].float().mean().item(), hits.any(1).float().mean().item()


def load(weights: Path | None) -> MaskedLanguageModel:
    """Load the shipped model, or the weights of a training run.

    Args:
        weights: File of weights. None loads the shipped model.
    """
    model = MaskedLanguageModel(CONFIG)
    if weights is None:
        model.load_state_dict(encoder_files.weights())
        return model.eval()
    try:
        if weights.suffix == ".pt":
            state = torch.load(weights, map_location="cpu", weights_only=True)["model"]
        else:
            state = {name: tensor.float() for name, tensor in load_file(weights).items()}
        model.load_state_dict(state)
    except Exception as error:  # of safetensors, pickle, or a size that differs
        raise HeadlightError("{name} has no weights of this encoder.", name=str(weights)) from error
    return model.eval()


def at_lengths(
    model: LoadedModel, text: Path, offset: int, lengths: Sequence[int] = LENGTHS
) -> Iterator[tuple[int, int, np.ndarray]]:
    """Attention to the token at an offset for passages of increasing length.

    Args:
        offset: Offset in tokens, such as -1 for the previous token.

    Yields:
        A length, the number of passages with this length, and their
        :func:`.measure.offset_shares`, (L, H). Lengths without passages are skipped.
    """
    for longest in lengths:
        found = passages(text, bert_tokenizer(), longest=longest)
        rows = [row for row in found if len(row) == longest]
        if rows:
            yield longest, len(rows), offset_shares(model, rows, (offset,))[0]


def evaluate(
    model: MaskedLanguageModel, rows: Sequence[Tensor]
) -> tuple[Accuracy, tuple[float, float]]:
    """Accuracy of the model, and top-1 and top-5 accuracy of the unigram baseline.

    Args:
        rows: Token ids of the passages, (T,) each.
    """
    mask_id = int(bert_tokenizer().token_to_id("[MASK]") or 0)
    baseline = unigram(rows, encoder_files.history().most_frequent, mask_id)
    return measure(model, iter(rows), mask_id, SEED), baseline


def relation_table(model: LoadedModel, treebank: Path, count: int | None = None) -> list[str]:
    """The best head and the best fixed distance for each relation.

    Args:
        count: Number of sentences from the start. None uses all.
    """
    counted = tally(model, islice(read_treebank(treebank), count))
    return [
        f"| {found.relation} | {DIRECTIONS[found.direction]} | L{found.layer}·H{found.head} "
        f"| {found.accuracy:.1%} | {found.baseline:.1%} ({found.offset:+d}) | {found.pairs:,} |"
        for found in counted.best_heads()
    ]


def report(
    text: Path, weights: Path | None, treebank: Path | None, count: int | None
) -> Iterator[str]:
    """Yield the measurements as lines of Markdown.

    Args:
        weights: File of weights. None measures the shipped model.
        treebank: A CoNLL-U file. None leaves out the relations.
        count: Number of passages from the start. None uses all.
    """
    model = load(weights)
    rows = passages(text, bert_tokenizer(), count)
    found, (first, five) = evaluate(model, rows)
    yield f"{found.count:,} masked tokens of {len(rows):,} passages, seed {SEED}"
    yield "| | loss | top-1 | top-5 |\n|---|---:|---:|---:|"
    yield f"| unigram | | {first:.1%} | {five:.1%} |"
    yield f"| encoder | {found.loss:.3f} | {found.top1:.1%} | {found.top5:.1%} |"
    loaded = as_loaded("measured", model.encoder, bert_tokenizer())
    yield from _looks(loaded, text, rows)
    if treebank:
        yield "| relation | direction | head | accuracy | fixed distance | pairs |"
        yield "|---|---|---|---:|---:|---:|"
        yield from relation_table(loaded, treebank)


def _looks(model: LoadedModel, text: Path, rows: Sequence[Tensor]) -> Iterator[str]:
    """The heads with the most attention to neighbours, and the attention on [CLS]."""
    offsets = {"previous": -1, "next": 1}
    whole = offset_shares(model, rows, tuple(offsets.values()))
    for (name, offset), shares in zip(offsets.items(), whole, strict=True):
        best = np.unravel_index(shares.argmax(), shares.shape)
        yield f"Most attention to the {name} token: L{best[0]}·H{best[1]}, {shares[best]:.2f}"
        for longest, count, of_length in at_lengths(model, text, offset):
            yield f"  in {count:,} passages of {longest} tokens {of_length[best]:.2f}"
    resting_on_cls = ", ".join(f"{share:.2f}" for share in resting(model, rows))
    yield f"Mean attention on [CLS], layer by layer: {resting_on_cls}"
