"""Report on a trained encoder: accuracy on held-out text, and relations of its heads.

Text without WikiText-2's ``<unk>`` and ``@-@`` marks, in passages of up to 64 tokens; ``[MASK]``
hides 15 % of the tokens, and none where attention is measured. The unigram baseline predicts the
most frequent tokens of the training text. The relations are those of the shipped atlas: heads and
fixed distances are selected on every other sentence, and measured on the other half.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from model.analysis.grammar.atlas import read_atlas
from model.analysis.grammar.relations import DIRECTIONS
from model.catalogue import encoder_files
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import CONFIG, TRAINED_LENGTH, as_loaded
from model.transformer.language_model import MaskedLanguageModel
from training.encoder.loss import mask_tokens
from training.encoder.measure import SEED, measure, offset_shares, passages, resting

LENGTHS = (32, TRAINED_LENGTH, 128, 256)
"""Passage lengths in tokens for the comparison of heads, some longer than in training."""


def unigram(rows: Sequence[Tensor], guesses: Sequence[int], mask_id: int) -> tuple[float, float]:
    """Share of the tokens that ``measure`` masks equal to the first guess, and to any guess."""
    generator = torch.Generator().manual_seed(SEED)
    selection = []
    for row in rows:
        vocab_size = CONFIG.vocab_size
        _, mask = mask_tokens(row[None], 0.15, mask_id, vocab_size, generator, always_mask=True)
        selection.append(row[mask[0]])
    hits = torch.cat(selection)[:, None] == torch.tensor(guesses)  # (M, G)
    return hits[:, 0].float().mean().item(), hits.any(1).float().mean().item()


def at_lengths(
    model: LoadedModel, text: Path, offset: int, lengths: Sequence[int] = LENGTHS
) -> Iterator[tuple[int, int, np.ndarray]]:
    """Attention to the token at an offset: a length, its passages, and their shares, (L, H)."""
    for longest in lengths:
        found = passages(text, bert_tokenizer(), longest=longest)
        rows = [row for row in found if len(row) == longest]
        if rows:
            yield longest, len(rows), offset_shares(model, rows, (offset,))[0]


def report(text: Path) -> Iterator[str]:
    """Yield the measurements of the shipped model as lines of Markdown."""
    model, tokenizer = MaskedLanguageModel(CONFIG).eval(), bert_tokenizer()
    model.load_state_dict(encoder_files.weights())
    rows, mask_id = passages(text, tokenizer), tokenizer.get_vocab()["[MASK]"]
    first, five = unigram(rows, encoder_files.history().most_frequent, mask_id)
    found = measure(model, iter(rows), mask_id, SEED)
    yield f"{found.count:,} masked tokens of {len(rows):,} passages, seed {SEED}"
    yield "| | loss | top-1 | top-5 |\n|---|---:|---:|---:|"
    yield f"| unigram | | {first:.1%} | {five:.1%} |"
    yield f"| encoder | {found.loss:.3f} | {found.top1:.1%} | {found.top5:.1%} |"
    loaded = as_loaded("measured", model.encoder, tokenizer)
    yield from _looks(loaded, text, rows)
    if atlas := read_atlas("scratch"):
        yield "| relation | direction | head | accuracy | fixed distance | pairs |"
        yield "|---|---|---|---:|---:|---:|"
        for best in atlas.best_heads():
            yield (
                f"| {best.relation} | {DIRECTIONS[best.direction]} | L{best.layer}·H{best.head} "
                f"| {best.accuracy:.1%} | {best.baseline:.1%} ({best.offset:+d}) "
                f"| {best.pairs:,} |"
            )


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
