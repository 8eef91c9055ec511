"""The logit lens: what each layer would say, and what each head and feed-forward adds to it.

nostalgebraist 2020, "interpreting GPT: the logit lens": the residual stream behind every layer,
read by the model's own final norm and head as if no layer came after. The logit that a model ends
with is a sum over what was added to the stream (Elhage et al. 2021, "A Mathematical Framework for
Transformer Circuits"), once the norms on the way are held as they were computed.

Axes: L n_layers, R = L + 1 depths, H n_heads, G heads of values, T tokens, K d_head, D d_model,
V vocab_size, N candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from model.capture.language_head import LanguageHead, before_norm
from model.capture.record import AttentionCapture
from model.capture.stream import StreamVectors
from model.catalogue.loaded import LoadedModel
from model.errors import HeadlightError

AT_ONCE = 16
"""States that are read together: their logits over 49,152 tokens take 3 MB."""


@dataclass(frozen=True, eq=False)
class LogitLens:
    """What each depth of a model would say at some tokens of a text.

    Depth 0 is what enters the first layer, the embeddings; depth r is what leaves layer r - 1. At
    depth L it is the model's own output.

    Attributes:
        positions: Which tokens of the text, T of them.
        ids: The most probable tokens, the first of them first, (R, T, N).
        probabilities: Theirs, over the whole vocabulary, float32 (R, T, N).
        vectors: The residual stream of those tokens.
    """

    positions: tuple[int, ...]
    ids: np.ndarray
    probabilities: np.ndarray
    vectors: StreamVectors


@dataclass(frozen=True, eq=False)
class Contributions:
    """What a logit is the sum of, float64.

    Attributes:
        heads: Of every head, (L, H): its context through its part of W^O.
        feed_forward: Of every feed-forward part, its biases included, (L,).
        embeddings: Of what enters the first layer.
        biases: Of all that no head and no token brings: those of W^O, the norms and the head.
        logit: What the model itself computes, in 32 bits.
    """

    heads: np.ndarray
    feed_forward: np.ndarray
    embeddings: float
    biases: float
    logit: float

    @property
    def total(self) -> float:
        """The sum of all parts."""
        parts = self.heads.sum() + self.feed_forward.sum()
        return float(parts) + self.embeddings + self.biases


def logit_lens(
    model: LoadedModel,
    text: str,
    text_pair: str | None = None,
    *,
    positions: Sequence[int] | None = None,
    top_k: int = 10,
) -> LogitLens:
    """Read the residual stream behind every layer with the model's own norm and head.

    Args:
        model: One with a language head.
        text: A sentence.
        text_pair: A second one, or None.
        positions: Of the tokens to read at; all of them unless given.
        top_k: How many candidates at each.

    Raises:
        HeadlightError: If the model has no language head, or as
            :meth:`LoadedModel.residual_stream` does.
    """
    head = language_head(model)
    vectors = model.stream_vectors(text, text_pair)
    if positions is None:
        positions = range(vectors.entering.shape[1])
    vectors = vectors.at(positions)
    depths = torch.cat([vectors.entering[:1], vectors.leaving])  # (R, T, D)
    with torch.inference_mode():
        read = [_read(head, states, top_k) for states in depths.flatten(0, 1).split(AT_ONCE)]
    shape = (*depths.shape[:2], -1)  # (R*T, N) -> (R, T, N)
    ids, probabilities = (torch.cat(part).view(shape).numpy() for part in zip(*read, strict=True))
    return LogitLens(tuple(positions), ids, probabilities, vectors)


def language_head(model: LoadedModel) -> LanguageHead:
    """A model's language head.

    Raises:
        HeadlightError: If it has none.
    """
    if model.language_head is None:
        raise HeadlightError(
            "{model} has no language head: it was not made to say a token, so none of its layers "
            "says one. Choose scratch, smollm2, bert-base-uncased, or a folder that was saved as a "
            "language model.",
            model=model.name,
        )
    return model.language_head


def _read(
    head: LanguageHead, states: torch.Tensor, top_k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The likeliest tokens after some states, and how likely: (B, D) -> two of (B, N)."""
    logits = head.logits(states)  # (B, V)
    best = logits.topk(min(top_k, logits.shape[-1]))
    probabilities = (best.values - logits.logsumexp(dim=-1, keepdim=True)).exp()
    return best.indices, probabilities


def contributions(
    model: LoadedModel, capture: AttentionCapture, lens: LogitLens, position: int, token_id: int
) -> Contributions:
    """Take a logit of the model's output apart into what every part of it adds.

    Parts write to the residual stream of the token itself; what they read, other layers had written
    there or elsewhere: that is not followed. All norms from the part to the end divide by what they
    did in this pass, and a masked-language head's activation multiplies by what it did. So each
    step is linear, and the parts add up, behind post-norm layers as behind pre-norm ones.

    Args:
        model: Whose lens it is.
        capture: The same text's attention.
        lens: Read at that position among others.
        position: Of the token in the text.
        token_id: Whose logit.
    """
    head, place = language_head(model), lens.positions.index(position)
    vectors, n_layers = lens.vectors, model.n_layers
    with torch.inference_mode():
        last = vectors.leaving[-1, place]
        direction, constant = head.reading(last, token_id)
        heads = np.zeros((n_layers, model.n_heads))
        feed_forward = np.zeros(n_layers)
        output_weights = model.output_weights()
        for layer in reversed(range(n_layers)):
            norms = model.norms(layer)
            if norms is not None:  # y = LayerNorm(x' + f)
                after = (direction, constant)
                direction, constant = before_norm(norms[1], vectors.fed[layer, place], after)
            feed_forward[layer] = vectors.feed_forward[layer, place].double() @ direction
            if norms is not None:  # x' = LayerNorm(x + a)
                after = (direction, constant)
                direction, constant = before_norm(norms[0], vectors.attended[layer, place], after)
            reads = output_weights[layer].double() @ direction  # (H, K, D) @ (D,) -> (H, K)
            heads[layer] = (_contexts(capture, layer, position) * reads).sum(-1)
            bias = getattr(model.outputs[layer], "bias", None)
            if bias is not None:
                constant = constant + bias.double() @ direction
        return Contributions(
            heads,
            feed_forward,
            embeddings=float(vectors.entering[0, place].double() @ direction),
            biases=float(constant),
            logit=float(head.logits(last)[token_id]),
        )


def _contexts(capture: AttentionCapture, layer: int, position: int) -> torch.Tensor:
    """What each head hands to W^O at a token, float64 (H, K)."""
    weights = torch.tensor(capture.weights[layer, :, position]).double()  # (H, Tk)
    v = torch.tensor(capture.v[layer]).double()  # (Tk, G, K)
    v = v.repeat_interleave(capture.n_heads // v.shape[1], dim=1)  # (Tk, H, K)
    return torch.einsum("ht,thk->hk", weights, v)
