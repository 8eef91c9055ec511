"""Limits on what a model reads: tokens, token ids, and the memory of its weights."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from model.capture.tokens import Tokens
from model.catalogue.continuation_tokens import number_words
from model.catalogue.placement import free_memory
from model.catalogue.translation import decode_text, tokens_of_ids
from model.errors import CutTextWarning, HeadlightError, check_range

if TYPE_CHECKING:
    from model.catalogue.loaded_model import LoadedModel


def token_limit(model: "LoadedModel", max_tokens: int | None) -> int:
    """Check how many tokens to read; None: the model's ``most_tokens``."""
    if max_tokens is None:
        return model.most_tokens
    check_range("max_tokens", max_tokens, 1, model.max_len)
    return max_tokens


def warn_of_cut(model: "LoadedModel", tokens: Tokens, level: int = 3) -> None:
    """Warn that a text was cut; at ``level`` 3 the warning is about the caller's caller."""
    n_read = len(tokens.ids)
    more = f" max_tokens can be up to {model.max_len}." if n_read < model.max_len else ""
    warnings.warn(
        f"{model.name} read the first {n_read} tokens of a text. left_out of the capture holds "
        f"the rest.{more}",
        CutTextWarning,
        stacklevel=level,
    )


def check_memory(model: "LoadedModel", n_texts: int, tokens: Tokens) -> None:
    """Refuse more tokens than ``most_tokens`` if the weights of the texts do not fit the memory."""
    n_tokens = len(tokens.ids)
    needed = 4 * n_texts * model.n_layers * model.n_heads * n_tokens**2
    if n_tokens > model.most_tokens and needed > free_memory():
        raise HeadlightError(
            "The weights of {n_tokens} tokens need {needed:.1f} GB of memory, of which "
            "{free:.1f} GB are free. Reduce max_tokens.",
            n_tokens=n_tokens,
            needed=needed / 1e9,
            free=free_memory() / 1e9,
        )


def tokens_of_row(
    model: "LoadedModel", input_ids: Sequence[int] | Tensor, most: int
) -> tuple[Tokens, str]:
    """Check token ids and locate them in the text that they decode to."""
    try:
        ids = torch.as_tensor(input_ids)
    except (TypeError, ValueError):  # texts, or rows of different lengths
        ids = torch.empty(0)
    ids = ids[0] if ids.ndim == 2 and len(ids) == 1 else ids
    if ids.ndim != 1 or not len(ids) or ids.is_floating_point():
        raise HeadlightError("input_ids are the ids of one text: whole numbers, (T,) or (1, T).")
    check_range("The number of token ids", len(ids), 1, most)
    find: Any = getattr(model.module, "get_input_embeddings", None)  # our encoder has none
    n_rows = len(next(find().parameters())) if find else model.tokenizer.get_vocab_size()
    row = ids.tolist()
    for each in (min(row), max(row)):
        check_range("A token id", each, 0, n_rows - 1)
    tokens, text = tokens_of_ids(model.tokenizer, row), decode_text(model.tokenizer, row)
    special = [word is None for word in tokens.word_ids]
    words = number_words(model.tokenizer, text, tokens.offsets, special)
    return replace(tokens, word_ids=words), text
