"""Every head switched off in turn, with the effect on a stated quantity.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 3.2.

Axes: B texts, T tokens, L n_layers, H n_heads, N texts of the data set, D d_model, V vocab_size.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from model.analysis.logit_lens import language_head
from model.analysis.survey.table import characters_left_out, check_arguments, to_frame
from model.capture.attention_hooks import HeadsOff
from model.capture.tokens import Tokens
from model.catalogue.loaded_model import Forward, LoadedModel, same_lengths
from model.errors import HeadlightError, check_one_of

if TYPE_CHECKING:
    import pandas as pd

Effect = Literal["cosine", "loss", "probability", "difference", "decision"]
"""What is measured:

- cosine: of the mean last hidden state with that of the unchanged model;
- loss: mean negative log probability of each next token, in nats (decoders);
- probability: of a word at the mask, or as the next token of a decoder;
- difference: of the logits of two words there;
- decision: probability of the label that the unchanged fine-tuned model chooses.
"""

EFFECTS: tuple[Effect, ...] = ("cosine", "loss", "probability", "difference", "decision")
WORDS = {"probability": 1, "difference": 2}
"""Number of words that an effect needs."""

Score = Callable[[Tensor, Tensor, list[Tokens]], Tensor]
"""(output, output of the unchanged model, tokens of each text) -> (B,)."""


def switch_off_each(
    model: LoadedModel,
    texts: Iterable[str],
    effect: Effect = "cosine",
    words: Sequence[str] = (),
    *,
    batch_size: int = 8,
    max_tokens: int | None = None,
) -> "pd.DataFrame":
    """Switch every head off in turn and measure the effect on every text.

    Args:
        texts: N texts. For probability and difference in an encoder, each has the mask token once.
        words: One word for ``probability``, two for ``difference``.

    Returns N * L * H rows with the columns ``sentence`` (index of the text), ``layer``, ``head``,
    ``unchanged`` (the quantity with all heads), ``off`` (without the head), ``text``, and
    ``left_out``; this and ``max_tokens`` as in :func:`survey`.

    Raises:
        HeadlightError: If the model lacks what the effect needs, a word is not one token, a text
            lacks the mask, heads cannot be switched off, or as :func:`check_arguments`.
    """
    texts = check_arguments(model, texts)
    values = effects(model, texts, effect, words, batch_size=batch_size, max_tokens=max_tokens)
    left_out = characters_left_out(model, texts, max_tokens)
    return to_frame(values, texts, ("unchanged", "off"), left_out)


def effects(
    model: LoadedModel,
    texts: Sequence[str],
    effect: Effect,
    words: Sequence[str] = (),
    *,
    batch_size: int = 8,
    max_tokens: int | None = None,
) -> np.ndarray:
    """Switch every head off in turn: the quantity with and without each, float32 (N, 2, L, H)."""
    model.check_outputs()
    forward, score = _scorer(model, effect, words)
    tokens = model.tokenize_all(texts, max_tokens)
    found = np.empty((len(texts), 2, model.n_layers, model.n_heads), dtype=np.float32)
    for indices in same_lengths(tokens, batch_size):
        batch = [tokens[i] for i in indices]
        base = model.run_batch(batch, forward)[1]
        # (B,) -> (B, 1, 1)
        found[indices, 0] = score(base, base, batch).numpy()[:, None, None]
        for layer, head in np.ndindex(model.n_layers, model.n_heads):
            off = HeadsOff(frozenset({(layer, head)}), "zero", model.d_head, model.stack)
            output = model.run_batch(batch, forward, off)[1]
            found[indices, 1, layer, head] = score(output, base, batch).numpy()
    return found


def _scorer(model: LoadedModel, effect: str, words: Sequence[str]) -> tuple[Forward, Score]:
    """The function that runs the model, and the function that measures its output."""
    check_one_of("effect", effect, EFFECTS)
    if len(words) != WORDS.get(effect, 0):
        raise HeadlightError(
            "The effect {effect} needs {count} words, not {given}.",
            effect=effect,
            count=WORDS.get(effect, 0),
            given=len(words),
        )
    if effect == "cosine":
        return model.encode, lambda output, base, _: functional.cosine_similarity(
            output.mean(dim=1), base.mean(dim=1), dim=-1
        )
    if effect == "loss":
        return model.encode, _loss(model)
    if effect == "decision":
        return _decision(model)
    return _word_scorer(model, effect, words)


def _lacks_head(model: LoadedModel) -> HeadlightError:
    return HeadlightError(
        "{model} lacks the head that this effect needs. Choose the cosine.", model=model.name
    )


def _loss(model: LoadedModel) -> Score:
    if model.stack != "decoder":
        raise _lacks_head(model)
    head = language_head(model)

    def loss(hidden: Tensor, _base: Tensor, batch: list[Tokens]) -> Tensor:
        ids = torch.tensor([tokens.ids for tokens in batch])  # (B, T)
        # (B, T - 1, D) @ (V, D)^T -> (B, T - 1, V) -> (B, V, T - 1)
        logits = head.project(hidden[:, :-1]).transpose(1, 2)
        return functional.cross_entropy(logits, ids[:, 1:], reduction="none").mean(dim=1)

    return loss


def _decision(model: LoadedModel) -> tuple[Forward, Score]:
    if model.task is None or model.task.kind != "sequence":
        raise _lacks_head(model)

    def chosen(logits: Tensor, base: Tensor, _batch: list[Tokens]) -> Tensor:  # (B, C)
        label = base.argmax(dim=-1, keepdim=True)  # (B, 1)
        return logits.softmax(dim=-1).gather(1, label)[:, 0]

    return model.task.logits, chosen


def _word_scorer(model: LoadedModel, effect: str, words: Sequence[str]) -> tuple[Forward, Score]:
    ids = [_word_id(model, word) for word in words]
    if model.stack == "decoder":
        head, forward = language_head(model), model.encode
    elif model.masked_lm is not None:
        head, forward = None, model.masked_lm
    else:
        raise _lacks_head(model)

    def score(output: Tensor, _base: Tensor, batch: list[Tokens]) -> Tensor:
        if head is not None:  # the next token: (B, T, D) -> (B, D) -> (B, V)
            logits = head.project(output[:, -1])
        else:
            masks = [_mask_position(model, tokens) for tokens in batch]
            logits = output[range(len(batch)), masks]  # (B, T, V) -> (B, V)
        if effect == "probability":
            return logits.softmax(dim=-1)[:, ids[0]]
        return logits[:, ids[0]] - logits[:, ids[1]]

    return forward, score


def _word_id(model: LoadedModel, word: str) -> int:
    """Id of a word: with a leading space in a decoder's vocabulary, without one in BERT's."""
    for text in (f" {word}", word) if model.stack == "decoder" else (word,):
        ids = model.tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) == 1:
            return int(ids[0])
    raise HeadlightError(
        "“{word}” is not one token of {model}. Choose another word.", word=word, model=model.name
    )


def _mask_position(model: LoadedModel, tokens: Tokens) -> int:
    mask = model.tokenizer.token_to_id(model.mask_token)
    if tokens.ids.count(mask) != 1:
        raise HeadlightError(
            "Each text needs {mask} exactly once, where the model predicts a word.",
            mask=model.mask_token,
        )
    return tokens.ids.index(mask)
