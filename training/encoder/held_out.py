"""Passages of the held-out text, which is never trained on."""

import lzma
import re
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from model.catalogue.scratch import TRAINED_LENGTH
from model.errors import HeadlightError

SEED = 0
"""Seed of the masks."""


def passages(
    file: Path, tokenizer: Tokenizer, count: int | None = None, longest: int = TRAINED_LENGTH
) -> list[Tensor]:
    """The token ids of a text's passages with special tokens, (T,) each.

    Args:
        file: A ``.txt`` or ``.txt.xz`` file.
        count: Number of passages from the start. None returns all.
        longest: Most tokens of a passage, including special tokens. A passage has at least three
            other tokens.

    Raises:
        HeadlightError: If the file is missing or corrupt, or holds no passage.
    """
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    found: list[Tensor] = []
    for line in _lines(file):
        ids = tokenizer.encode(line, add_special_tokens=False).ids
        for i in range(0, len(ids), longest - 2):
            part = ids[i : i + longest - 2]
            if len(part) > 2:
                found.append(torch.tensor([cls, *part, sep]))
        if count is not None and len(found) >= count:
            break
    if not found:
        raise HeadlightError("The text {name} has no sentences.", name=str(file))
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
