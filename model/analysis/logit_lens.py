"""Logit lens, and the contribution of each head and feed-forward network to a logit.

The lens reads the residual stream after every layer with the model's final norm and head, as if no
layer followed (nostalgebraist 2020, "interpreting GPT: the logit lens"). The final logit is a sum
over all writes to the stream (Elhage et al. 2021, "A Mathematical Framework for Transformer
Circuits"), with the norms' divisors held fixed.

Axes: L n_layers, R = L + 1 depths, H n_heads, G heads of values, T tokens, K d_head, D d_model,
V vocab_size, N candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from model.capture.language_head import LanguageHead, before_norm
from model.capture.record import AttentionCapture
from model.capture.residual_stream import StreamVectors, to_states, to_vectors
from model.capture.sites import to_cpu
from model.catalogue.causal import LoadedCausal
from model.catalogue.loaded_model import LoadedModel
from model.errors import HeadlightError

STATES_PER_BATCH = 16
"""States read together: their logits over 49,152 tokens take 3 MB."""


@dataclass(frozen=True, eq=False)
class LogitLens:
    """Predictions at each depth of a model for some tokens of a text.

    Depth 0 is the input of the first layer (the embeddings); depth r is the output of layer r - 1.

    Attributes:
        ids: Ids of the N most probable tokens, in descending order, (R, T, N).
        probabilities: Their probabilities over the whole vocabulary, float32 (R, T, N).
        vectors: The residual stream of these tokens; None if the parts of the layers are unknown.
    """

    positions: tuple[int, ...]
    ids: np.ndarray
    probabilities: np.ndarray
    vectors: StreamVectors | None


@dataclass(frozen=True, eq=False)
class Contributions:
    """Parts that sum to a logit, float64: heads (L, H), feed-forward (L,), embeddings and biases.

    ``logit`` is as the model computes it, float32.
    """

    heads: np.ndarray
    feed_forward: np.ndarray
    embeddings: float
    biases: float
    logit: float

    @property
    def total(self) -> float:
        """Sum of all parts."""
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
    """Read the residual stream after every layer with the model's own norm and head.

    ``positions`` are those of the tokens to read, by default all; ``top_k`` is N. Raises a
    HeadlightError as :func:`language_head`, or if there is no text.
    """
    head = language_head(model)
    record = model.stream_record(text, text_pair)
    depths = to_states(record)  # (R, T, D)
    if positions is None:
        positions = range(depths.shape[1])
    depths = depths[:, list(positions)]
    vectors = to_vectors(record).at(positions) if model.has_parts else None
    batches = depths.flatten(0, 1).split(STATES_PER_BATCH)  # (R, T, D) -> (R*T, D)
    with torch.inference_mode():
        tops = [_top_tokens(head, states, top_k) for states in batches]
    shape = (*depths.shape[:2], -1)  # (R*T, N) -> (R, T, N)
    ids, probabilities = (torch.cat(part).view(shape).numpy() for part in zip(*tops, strict=True))
    return LogitLens(tuple(positions), ids, probabilities, vectors)


def language_head(model: LoadedModel) -> LanguageHead:
    """Return a model's language head; a HeadlightError says if there is none, or it is unknown."""
    has_head = isinstance(model, LoadedCausal) or model.masked_lm is not None
    if model.language_head is None and has_head:
        raise HeadlightError(
            "Headlight does not know how {model} computes its predictions from the output of its "
            "last layer, so its layers cannot predict a token. Choose another model.",
            model=model.name,
        )
    if model.language_head is None:
        raise HeadlightError(
            "{model} has no output layer for tokens, so its layers cannot predict a token. "
            "Choose scratch, smollm2, bert-base-uncased or another model that predicts tokens.",
            model=model.name,
        )
    return model.language_head


def _top_tokens(
    head: LanguageHead, states: torch.Tensor, top_k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Most probable tokens after some states, and their probabilities: (B, D) -> two of (B, N)."""
    logits = head.logits(states)  # (B, V)
    best = logits.topk(min(top_k, logits.shape[-1]))
    probabilities = (best.values - logits.logsumexp(dim=-1, keepdim=True)).exp()
    return best.indices, probabilities


def contributions(
    model: LoadedModel, capture: AttentionCapture, lens: LogitLens, position: int, token_id: int
) -> Contributions:
    """Split a logit of the model's output into the contributions of its parts.

    A part is credited with what it writes to the token's own residual stream; the sources of its
    input are not traced. Each norm keeps its divisor from this pass, and the activation of a
    masked-language head its factor, so that every step is linear and the parts add up. Raises a
    HeadlightError if the parts of the layers, or the values of the capture, are unknown.
    """
    head, row = language_head(model), lens.positions.index(position)
    vectors, n_layers = lens.vectors, model.n_layers
    if vectors is None:
        raise model.unknown_parts()
    capture.check_steps()
    with torch.inference_mode():
        last = vectors.layer_output[-1, row]
        direction, constant = head.reading(last, token_id)
        heads = np.zeros((n_layers, model.n_heads))
        feed_forward = np.zeros(n_layers)
        output_weights = model.output_weights()
        for layer in reversed(range(n_layers)):
            site, weights = model.layers[layer], output_weights[layer].double()
            if site.norms is not None:  # y = LayerNorm(x' + f)
                after = (direction, constant)
                direction, constant = before_norm(
                    site.norms[1], vectors.feed_forward_sum[layer, row], after
                )
            feed_forward[layer] = vectors.feed_forward[layer, row].double() @ direction
            if site.norms is not None:  # x' = LayerNorm(x + a)
                after = (direction, constant)
                direction, constant = before_norm(
                    site.norms[0], vectors.attention_sum[layer, row], after
                )
            contexts = _contexts(capture, layer, position)
            bias = getattr(model.outputs[layer], "bias", None)
            bias = direction.new_zeros(model.d_model) if bias is None else to_cpu(bias).double()
            own, norm = direction * site.factor, site.attention
            if norm is not None and norm is not model.outputs[layer]:  # a = norm(z W^O + b)
                output = torch.einsum("hk,hkd->d", contexts, weights) + bias  # (H, K) -> (D,)
                own, constant = before_norm(norm, output, (own, constant))
            heads[layer] = (contexts * (weights @ own)).sum(-1)  # (H, K, D) @ (D,) -> (H, K)
            constant = constant + bias @ own
        return Contributions(
            heads,
            feed_forward,
            embeddings=float(vectors.layer_input[0, row].double() @ direction),
            biases=float(constant),
            logit=float(head.logits(last)[token_id]),
        )


def _contexts(capture: AttentionCapture, layer: int, position: int) -> torch.Tensor:
    """Context of each head at a token, the input of W^O, float64 (H, K)."""
    weights = torch.tensor(capture.weights[layer, :, position]).double()  # (H, Tk)
    v = torch.tensor(capture.v[layer]).double()  # (Tk, G, K)
    v = v.repeat_interleave(capture.n_heads // v.shape[1], dim=1)  # (Tk, H, K)
    return torch.einsum("ht,thk->hk", weights, v)  # (H, Tk), (Tk, H, K) -> (H, K)
