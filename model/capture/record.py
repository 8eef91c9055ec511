"""What one model did with one sentence: every attention weight, and q, k and v behind them.

Axes: L n_layers, H n_heads, T tokens, K d_head.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from model.capture import files
from model.capture.hooks import Observed
from model.capture.tokens import Tokens
from model.errors import HeadlightError
from model.transformer.attention import scaled_dot_product_attention


@dataclass(frozen=True)
class HeadSteps:
    """One head, from its queries to its context; T tokens, K d_head. All float32.

    Attributes:
        q: Queries, (T, K).
        k: Keys, (T, K).
        v: Values, (T, K).
        masked_scores: q k^T / sqrt(d_head), -inf where the model masks, (T, T).
        weights: As captured, after softmax, (T, T).
        context: weights @ v, (T, K).
        allowed: What the model's own mask allows, boolean (T, T); None if it hides nothing.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    masked_scores: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    allowed: np.ndarray | None = None

    @property
    def scores(self) -> np.ndarray:
        """The masked scores by their first name, which notebooks use."""
        return self.masked_scores


@dataclass(frozen=True, eq=False)
class AttentionCapture:
    """Every attention weight of one model on one sentence (or pair), T tokens.

    All arrays are read-only float32; ``weights[layer, head, query, key]``, rows sum to 1.

    Attributes:
        model: The catalogue name, hub id or folder that it was loaded by.
        text: The sentence.
        text_pair: The second sentence, or None.
        tokens: Pieces with the model's special tokens, length T.
        token_ids: Their ids in the model's vocabulary, length T.
        offsets: Start and end character of each piece in its sentence; (0, 0) for specials.
        word_ids: Word number within its sentence, None for special tokens, length T.
        segment_ids: 0 for the first sentence, 1 for the second, length T.
        special: Boolean (T,), True for tokens that the model added.
        left_out: The end of each sentence that the model's length limit cut off.
        weights: (L, H, T, T).
        q: Per layer, the queries as they enter the dot product, (T, H, K); ``k`` and ``v`` too.
        allowed: Per layer, None if every token may attend to every other, else boolean (T, T).
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

    @property
    def n_layers(self) -> int:
        """Number of layers, L."""
        return self.weights.shape[0]

    @property
    def n_heads(self) -> int:
        """Heads per layer, H."""
        return self.weights.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays hold in memory."""
        masks = (mask for mask in self.allowed if mask is not None)
        arrays = (self.weights, *self.q, *self.k, *self.v, *masks)
        return sum(array.nbytes for array in arrays)

    def head(self, layer: int, head: int) -> HeadSteps:
        """Follow one head from its true q, k and v, through the same function as our encoder's.

        Raises:
            HeadlightError: If the capture has no such layer or head.
        """
        check_head(self, layer, head, self.model)
        # torch.tensor copies: the capture's own arrays stay read-only.
        q, k, v = (torch.tensor(x[layer][:, head]) for x in (self.q, self.k, self.v))  # (T, K)
        mask = self.allowed[layer]
        steps = scaled_dot_product_attention(q, k, v, None if mask is None else torch.tensor(mask))
        return HeadSteps(
            q=q.numpy(),
            k=k.numpy(),
            v=v.numpy(),
            masked_scores=steps.masked_scores.numpy(),
            weights=self.weights[layer, head],
            context=steps.context.numpy(),
            allowed=mask,
        )

    def to_npz(self) -> bytes:
        """Serialise to the bytes of a NumPy ``.npz`` file, readable without this project.

        Beside ``weights`` (L, H, T, T), ``q``, ``k``, ``v`` (L, T, H, K) and ``allowed``
        (L, T, T) it holds ``meta``: a JSON text with the tokens and where they come from.
        """
        n_tokens = len(self.tokens)
        everything = np.ones((n_tokens, n_tokens), dtype=bool)
        allowed = np.stack([everything if mask is None else mask for mask in self.allowed])
        return files.npz(self._meta(), {**self._arrays(), "allowed": allowed})

    def to_json(self) -> bytes:
        """Serialise to JSON: the same names as :meth:`to_npz`, arrays as nested lists.

        Every number has as many digits as bring back the very same float32.
        """
        return files.json_text(self._meta(), self._arrays())

    @classmethod
    def from_npz(cls, data: bytes) -> "AttentionCapture":
        """Read what :meth:`to_npz` wrote.

        Raises:
            HeadlightError: If the bytes are not such a file.
        """
        meta, arrays = files.read_npz(data)
        try:
            offsets = tuple(tuple(pair) for pair in meta.pop("offsets"))
            meta = {k: tuple(v) if isinstance(v, list) else v for k, v in meta.items()}
            allowed = tuple(None if mask.all() else _frozen(mask) for mask in arrays["allowed"])
            return cls(
                **meta,
                offsets=offsets,
                special=_frozen(arrays["special"]),
                weights=_frozen(arrays["weights"]),
                q=tuple(_frozen(x) for x in arrays["q"]),
                k=tuple(_frozen(x) for x in arrays["k"]),
                v=tuple(_frozen(x) for x in arrays["v"]),
                allowed=allowed,
            )
        except (KeyError, TypeError, AttributeError) as error:  # another file's names
            raise files.not_ours() from error

    def _meta(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _META}

    def _arrays(self) -> dict[str, np.ndarray]:
        stacked = {name: np.stack(getattr(self, name)) for name in ("q", "k", "v")}
        return {"special": self.special, "weights": self.weights, **stacked}


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


_META = (
    "model",
    "text",
    "text_pair",
    "tokens",
    "token_ids",
    "offsets",
    "word_ids",
    "segment_ids",
    "left_out",
)


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def to_capture(
    observed: Observed, tokens: Tokens, model: str, text: str, text_pair: str | None
) -> AttentionCapture:
    """Turn what the hooks saw into plain arrays.

    The weights are gathered into one new array. q, k and v are not copied: the projections'
    outputs belong to this forward pass alone, and the capture keeps them.
    """
    return AttentionCapture(
        model=model,
        text=text,
        text_pair=text_pair,
        tokens=tokens.pieces,
        token_ids=tokens.ids,
        offsets=tokens.offsets,
        word_ids=tokens.word_ids,
        segment_ids=tokens.segment_ids,
        special=_frozen(np.array([word is None for word in tokens.word_ids])),
        left_out=tokens.left_out,
        weights=_frozen(torch.stack(observed.weights).numpy()),  # L x (H, T, T) -> (L, H, T, T)
        q=tuple(_frozen(q.numpy()) for q, _, _ in observed.heads),
        k=tuple(_frozen(k.numpy()) for _, k, _ in observed.heads),
        v=tuple(_frozen(v.numpy()) for _, _, v in observed.heads),
        allowed=tuple(None if m is None else _frozen(m.numpy()) for m in observed.allowed),
    )
