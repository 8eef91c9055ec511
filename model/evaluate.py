"""Measure a trained encoder on held-out text.

    python -m model.evaluate --weights FILE --text FILE

Protocol: ``<unk>`` and ``@-@`` marks of WikiText-2 are taken out; passages of up to 64 tokens,
special tokens counted; 15 % of the tokens are chosen and all of them hidden behind ``[MASK]``. The
unigram baseline always guesses the most frequent tokens of the same text.
"""

import argparse
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from model.catalogue import bert_tokenizer
from model.errors import HeadlightError
from model.scratch import TRAINED
from model.training.language import MaskedLanguageModel
from model.training.loop import Accuracy, measure
from model.training.masking import mask_tokens

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


def unigram(rows: list[Tensor], mask_id: int, vocab_size: int) -> tuple[float, float]:
    """Share of the masked tokens that the one, and the five, most frequent tokens would hit."""
    generator = torch.Generator().manual_seed(SEED)
    counts = torch.zeros(vocab_size, dtype=torch.int64)
    for row in rows:
        counts += torch.bincount(row[1:-1], minlength=vocab_size)
    best = counts.topk(5).indices
    targets = torch.cat(
        [
            row[
                mask_tokens(row[None], 0.15, mask_id, vocab_size, generator, always_mask=True)[1][0]
            ]
            for row in rows
        ]
    )
    hits = targets[:, None] == best
    return hits[:, 0].float().mean().item(), hits.any(1).float().mean().item()


def load(weights: Path) -> MaskedLanguageModel:
    """A model from a file of weights as training keeps them, or from a checkpoint.

    Raises:
        HeadlightError: If it is no such file.
    """
    model = MaskedLanguageModel(TRAINED)
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


def evaluate(weights: Path, text: Path, count: int = 500) -> tuple[Accuracy, tuple[float, float]]:
    """Accuracy of the weights on the text, and the unigram baseline's top-1 and top-5."""
    tokenizer = bert_tokenizer()
    mask_id = int(tokenizer.token_to_id("[MASK]") or 0)
    rows = passages(text, tokenizer, count)
    return (
        measure(load(weights), iter(rows), mask_id, SEED),
        unigram(rows, mask_id, TRAINED.vocab_size),
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the figures as a Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m model.evaluate", description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=500)
    options = parser.parse_args(arguments)
    try:
        found, (first, five) = evaluate(options.weights, options.text, options.passages)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    print(f"{found.count:,} masked tokens, seed {SEED}")  # noqa: T201
    print("| | loss | top-1 | top-5 |\n|---|---:|---:|---:|")  # noqa: T201
    print(f"| unigram | | {first:.1%} | {five:.1%} |")  # noqa: T201
    print(f"| encoder | {found.loss:.3f} | {found.top1:.1%} | {found.top5:.1%} |")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
