"""What one model did with one sentence: every attention weight, and q, k and v behind them.

Axes: L n_layers, H n_heads, G heads of keys and values, T tokens (Tq queries, Tk keys), K d_head.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from model.capture import files
from model.capture.sites import Stack
from model.capture.tokens import Keys
from model.errors import HeadlightError
from model.transformer.attention import scaled_dot_product_attention


@dataclass(frozen=True)
class HeadSteps:
    """One head, from its queries to its context; Tq queries, Tk keys, K d_head. All float32.

    Attributes:
        q: Queries, (Tq, K).
        k: Keys, (Tk, K).
        v: Values, (Tk, K).
        raw_scores: q k^T, (Tq, Tk).
        scaled_scores: The raw scores times ``scale``, and ``bias`` added, (Tq, Tk).
        masked_scores: The scaled scores, -inf where the model masks, (Tq, Tk).
        weights: As captured, after softmax, (Tq, Tk).
        context: weights @ v, (Tq, K).
        scale: The model's own factor: 1 / sqrt(K) in most, 1 in T5.
        allowed: What the model's own mask allows, boolean (Tq, Tk); None if it hides nothing.
        bias: What the model adds to the scaled scores, (Tq, Tk); None if nothing.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    raw_scores: np.ndarray
    scaled_scores: np.ndarray
    masked_scores: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    scale: float
    allowed: np.ndarray | None = None
    bias: np.ndarray | None = None

    @property
    def scores(self) -> np.ndarray:
        """The masked scores by their first name, which notebooks use."""
        return self.masked_scores


@dataclass(frozen=True, eq=False)
class AttentionCapture:
    """Every attention weight of one stack of a model on one sentence (or pair).

    All arrays are read-only float32; ``weights[layer, head, query, key]``, rows sum to 1. The
    tokens are those that attend, Tq of them. Those attended to are the same, Tk = Tq, but for a
    decoder that looks at an encoder: ``keys`` has them everywhere.

    Attributes:
        model: The catalogue name, hub id or folder that it was loaded by.
        text: The sentence.
        text_pair: The second sentence, or None.
        tokens: Pieces with the model's special tokens, length Tq.
        token_ids: Their ids in the model's vocabulary, length Tq.
        offsets: Start and end character of each piece in its sentence; (0, 0) for specials.
        word_ids: Word number within its sentence, None for special tokens, length Tq.
        segment_ids: 0 for the first sentence, 1 for the second, length Tq.
        special: Boolean (Tq,), True for tokens that the model added.
        left_out: The end of each sentence that the model's length limit cut off.
        weights: (L, H, Tq, Tk).
        q: Per layer, the queries as they enter the dot product, (Tq, H, K).
        k: Per layer, the keys, (Tk, G, K): G is H, or divides it (see :meth:`key_head`).
        v: Per layer, the values, (Tk, G, K).
        allowed: Per layer, None if every query may attend to every key, else boolean (Tq, Tk).
        stack: Whose layers: ``encoder``, ``decoder``, or ``cross``.
        scale: Per layer, what the raw scores are multiplied by; None: 1 / sqrt(K) in all.
        bias: Per layer, what is added to the scaled scores, (H, Tq, Tk), or None; None: nothing in
            any.
        other_keys: The tokens attended to, where they are a sequence of their own.
    """

    model: str
    text: str
    text_pair: str | None
    tokens: tuple[str, ...]
    token_ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    word_ids: tuple[int | None, ...]
    segment_ids: tuple[int, ...]
    special: np.ndarray
    left_out: tuple[str, str]
    weights: np.ndarray
    q: tuple[np.ndarray, ...]
    k: tuple[np.ndarray, ...]
    v: tuple[np.ndarray, ...]
    allowed: tuple[np.ndarray | None, ...]
    stack: Stack = "encoder"
    scale: tuple[float, ...] | None = None
    bias: tuple[np.ndarray | None, ...] | None = None
    other_keys: Keys | None = None

    @property
    def n_layers(self) -> int:
        """Number of layers, L."""
        return self.weights.shape[0]

    @property
    def n_heads(self) -> int:
        """Heads per layer, H."""
        return self.weights.shape[1]

    @property
    def keys(self) -> "AttentionCapture | Keys":
        """The tokens attended to, Tk: of another sequence, or the capture's own."""
        return self if self.other_keys is None else self.other_keys

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The pieces attended to, length Tk."""
        return self.keys.tokens

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays hold in memory; a mask or a bias that layers share counts once."""
        added = (x for x in (*self.allowed, *(self.bias or ())) if x is not None)
        shared = {array.ctypes.data: array for array in added}
        arrays = (self.weights, *self.q, *self.k, *self.v, *shared.values())
        return sum(array.nbytes for array in arrays)

    def key_head(self, head: int) -> int:
        """Which head of ``k`` and ``v`` a query head reads: its own, or one that its group shares.

        Heads 0 to H/G - 1 share the first, the next H/G the second (Ainslie et al. 2023, "GQA",
        section 2.2).
        """
        return head * self.k[0].shape[1] // self.n_heads

    def head(self, layer: int, head: int) -> HeadSteps:
        """Follow one head from its true q, k and v, through the same function as our encoder's.

        Raises:
            HeadlightError: If the capture has no such layer or head.
        """
        check_head(self, layer, head, self.model)
        shared = self.key_head(head)
        # torch.tensor copies: the capture's own arrays stay read-only.
        q = torch.tensor(self.q[layer][:, head])  # (Tq, K)
        k, v = (torch.tensor(x[layer][:, shared]) for x in (self.k, self.v))  # (Tk, K)
        mask, biases = self.allowed[layer], None if self.bias is None else self.bias[layer]
        bias = None if biases is None else biases[head]  # (Tq, Tk)
        scale = 1 / math.sqrt(q.shape[-1]) if self.scale is None else self.scale[layer]
        steps = scaled_dot_product_attention(
            q,
            k,
            v,
            None if mask is None else torch.tensor(mask),
            scale=scale,
            bias=None if bias is None else torch.tensor(bias),
        )
        return HeadSteps(
            q=q.numpy(),
            k=k.numpy(),
            v=v.numpy(),
            raw_scores=steps.raw_scores.numpy(),
            scaled_scores=steps.scaled_scores.numpy(),
            masked_scores=steps.masked_scores.numpy(),
            weights=self.weights[layer, head],
            context=steps.context.numpy(),
            scale=scale,
            allowed=mask,
            bias=bias,
        )

    def to_npz(self) -> bytes:
        """Serialise to the bytes of a NumPy ``.npz`` file, readable without this project.

        Beside ``weights`` (L, H, Tq, Tk), ``q`` (L, Tq, H, K), ``k`` and ``v`` (L, Tk, G, K) and
        ``allowed`` (L, Tq, Tk) it holds ``meta``: a JSON text with the tokens and where they come
        from, the stack, and each layer's scale. Where there is a bias it is ``bias``
        (L, H, Tq, Tk); where the keys are another sequence, that is ``key_special`` (Tk,) and, in
        ``meta``, ``key_tokens`` and the like.
        """
        everything = np.ones(self.weights.shape[2:], dtype=bool)  # (Tq, Tk)
        allowed = np.stack([everything if mask is None else mask for mask in self.allowed])
        return files.npz(files.meta_of(self), {**files.arrays_of(self), "allowed": allowed})

    def to_json(self) -> bytes:
        """Serialise to JSON: the same names as :meth:`to_npz`, arrays as nested lists.

        Every number has as many digits as bring back the very same float32.
        """
        return files.json_text(files.meta_of(self), files.arrays_of(self))

    @classmethod
    def from_npz(cls, data: bytes) -> "AttentionCapture":
        """Read what :meth:`to_npz` wrote.

        Raises:
            HeadlightError: If the bytes are not such a file.
        """
        meta, arrays = files.read_npz(data)
        try:
            return cls(**files.fields(meta, arrays))
        except (KeyError, TypeError, AttributeError) as error:  # another file's names
            raise files.not_ours() from error


class _HasHeads(Protocol):
    @property
    def n_layers(self) -> int: ...
    @property
    def n_heads(self) -> int: ...


def check_head(of: _HasHeads, layer: int, head: int, name: str) -> None:
    """Make sure that a model, or a capture of it, has a head.

    Raises:
        HeadlightError: If it has no such layer or head.
    """
    if not (0 <= layer < of.n_layers and 0 <= head < of.n_heads):
        raise HeadlightError(
            "{model} has layers 0 to {last_layer} and heads 0 to {last_head}: there is no "
            "L{layer}·H{head}.",
            model=name,
            last_layer=of.n_layers - 1,
            last_head=of.n_heads - 1,
            layer=layer,
            head=head,
        )
