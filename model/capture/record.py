"""Attention capture: all attention weights of a model on one sentence, with q, k and v.

Axes: L n_layers, H n_heads, G heads of keys and values, T tokens (Tq queries, Tk keys), K d_head.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from model.capture import foreign_weights, serialisation
from model.capture.sites import Stack
from model.capture.tokens import Keys
from model.errors import HeadlightError, Items
from model.transformer.attention import scaled_dot_product_attention

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class HeadSteps:
    """Computation of one head from its queries to its context, float32.

    Attributes:
        raw_scores: q k^T, (Tq, Tk).
        scaled_scores: The raw scores times ``scale``, plus ``bias``, (Tq, Tk).
        masked_scores: The scaled scores, -inf where the model masks, (Tq, Tk).
        context: weights @ v, (Tq, K).
        scale: The model's factor on the raw scores: 1 / sqrt(K) in most models, 1 in T5.
        allowed: Boolean (Tq, Tk), True where the model's mask allows attention; None without one.
        bias: Added to the scaled scores, (Tq, Tk); None if nothing is.
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


@dataclass(frozen=True, eq=False)
class AttentionCapture:
    """All attention weights of one stack of a model on one sentence or pair.

    All arrays are read-only float32. ``weights[layer, head, query, key]``: rows sum to 1, with an
    attention sink to 1 - ``sink``. ``tokens`` are the queries, and the keys except in
    cross-attention.

    Attributes:
        model: The catalogue name, hub id or folder that the model was loaded by.
        tokens: Pieces with the model's special tokens, length Tq.
        token_ids: Their ids in the model's vocabulary, length Tq; empty if unknown.
        offsets: Start and end character of each piece in its sentence; (0, 0) for tokens that the
            model added.
        word_ids: Word number within the sentence, None for special tokens, length Tq.
        segment_ids: 0 for the first sentence, 1 for the second, length Tq.
        special: Boolean (Tq,), True for tokens that the model added; empty if unknown.
        left_out: The end of each sentence, if the model's length limit cut it off.
        weights: (L, H, Tq, Tk).
        q: Per layer, the queries as they enter the dot product, (Tq, H, K). q, k and v are empty
            where they are unknown: see :attr:`has_steps`.
        k: Per layer, the keys, (Tk, G, K): G is H, or divides it (see :meth:`key_head`).
        v: Per layer, the values, (Tk, G, K).
        allowed: Per layer, None if every query may attend to every key, else boolean (Tq, Tk).
        scale: Per layer, the factor on the raw scores; None: 1 / sqrt(K) in all layers.
        bias: Per layer, the bias on the scaled scores, (H, Tq, Tk), or None; None: none at all.
        other_keys: The keys' tokens, if they are another sequence.
        sink: Weight that each query gives to the sink of its head, a key without a token and
            without a value (gpt-oss), (L, H, Tq); None for models without sinks.
        attention_layers: The layers that have attention, in order; None: all. In the others (Mamba,
            convolutions), the weights are 0, nothing is allowed, and q, k and v are NaN.
        origin: What made the numbers, see :class:`model.catalogue.model_size.SizedModel`; empty if
            unknown.
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
    sink: np.ndarray | None = None
    attention_layers: tuple[int, ...] | None = None
    origin: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return one line: the arrays of a capture would fill thousands."""
        n_layers, n_heads, n_queries, n_keys = self.weights.shape
        return (
            f"AttentionCapture({self.model!r}, {self.stack}, {n_layers} layers x {n_heads} heads, "
            f"{n_queries} queries x {n_keys} keys)"
        )

    @property
    def n_layers(self) -> int:
        """Number of layers, L."""
        return self.weights.shape[0]

    @property
    def n_heads(self) -> int:
        """Heads per layer, H."""
        return self.weights.shape[1]

    @property
    def has_steps(self) -> bool:
        """Whether q, k and v are known, so that :meth:`head` can compute the steps of a head."""
        return bool(self.q)

    @property
    def keys(self) -> "AttentionCapture | Keys":
        """The tokens of the keys, Tk: another sequence, or the capture's own."""
        return self if self.other_keys is None else self.other_keys

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The pieces of the keys, length Tk."""
        return self.keys.tokens

    def with_sink_key(self) -> "AttentionCapture":
        """Return a capture with the sink as a last key "sink", for figures and tables.

        Its rows, (L, H, Tq, Tk + 1), sum to 1. A model without sinks: the capture.
        """
        if self.sink is None:
            return self
        seen = np.ones((len(self.tokens), 1), dtype=bool)
        keys = Keys(
            self.text,
            self.text_pair,
            (*self.tokens, "sink"),
            (*self.token_ids, -1),
            (*self.offsets, (0, 0)),
            (*self.word_ids, None),
            (*self.segment_ids, 0),
            np.append(self.special, True),
        )
        return replace(
            self,
            weights=np.concatenate([self.weights, self.sink[..., None]], axis=-1),
            allowed=tuple(None if x is None else np.hstack([x, seen]) for x in self.allowed),
            other_keys=keys,
            sink=None,
        )

    def without_attention(self) -> tuple[int, ...]:
        """List the layers that have no attention."""
        known = range(self.n_layers) if self.attention_layers is None else self.attention_layers
        return tuple(layer for layer in range(self.n_layers) if layer not in known)

    def check_every_layer(self) -> None:
        """Raise a HeadlightError if tokens also mix in layers without attention."""
        if self.attention_layers is not None:
            raise some_attention(self.model)

    def check_softmax(self) -> None:
        """Raise a HeadlightError if q, k and v are unknown, or the softmax also has a sink."""
        self.check_steps()
        if self.sink is not None:
            raise HeadlightError(
                "The softmax of {model} also has a sink, which has a score but no key and no "
                "value. The steps that are shown here have none. Choose another model.",
                model=self.model,
            )

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays in memory. Masks and biases that layers share count once."""
        added = (x for x in (*self.allowed, *(self.bias or ())) if x is not None)
        shared = {array.ctypes.data: array for array in added}
        sinks = () if self.sink is None else (self.sink,)
        arrays = (self.weights, *self.q, *self.k, *self.v, *shared.values(), *sinks)
        return sum(array.nbytes for array in arrays)

    def key_head(self, head: int) -> int:
        """Find the head of ``k`` and ``v`` that a query head reads.

        With grouped queries, heads 0 to H/G - 1 share the first head of keys and values, the next
        H/G the second, and so on (Ainslie et al. 2023, "GQA", section 2.2).
        """
        self.check_steps()
        return head * self.k[0].shape[1] // self.n_heads

    def head(self, layer: int, head: int) -> HeadSteps:
        """Compute the steps of one head from its q, k and v, by our encoder's attention function.

        Raises a HeadlightError without such a layer or head, or if q, k and v are unknown.
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
            context=steps.context.numpy()
            if self.sink is None
            else self.weights[layer, head] @ v.numpy(),
            scale=scale,
            allowed=mask,
            bias=bias,
        )

    def check_steps(self) -> None:
        """Check that q, k and v are known."""
        if not self.has_steps:
            raise HeadlightError(
                "The attention weights of {model} are known, but not its queries, keys and "
                "values, which are necessary here. Choose another model.",
                model=self.model,
            )

    def to_frame(self) -> "pd.DataFrame":
        """Convert the weights to a table, a row for each weight of the layers with attention.

        Columns: ``layer``, ``head``, ``query``, ``key`` (positions), ``query_token``, ``key_token``
        and ``weight``. The sink has the position after the last key, Tk, and the name ``sink``.
        """
        import pandas as pd

        weights, keys = self.with_sink_key().weights, self.with_sink_key().key_tokens
        # (4, L, H, Tq, Tk) -> 4 x (L*H*Tq*Tk,)
        layer, head, query, key = np.indices(weights.shape).reshape(4, -1)
        table = pd.DataFrame(
            {
                "layer": layer,
                "head": head,
                "query": query,
                "key": key,
                "query_token": np.array(self.tokens)[query],
                "key_token": np.array(keys)[key],
                "weight": weights.reshape(-1),  # (L, H, Tq, Tk) -> (L*H*Tq*Tk,)
            }
        )
        if self.attention_layers is None:
            return table
        return table[table["layer"].isin(self.attention_layers)].reset_index(drop=True)

    def to_npz(self) -> bytes:
        """Serialise to the bytes of a NumPy ``.npz`` file, readable without this project.

        It contains ``weights`` (L, H, Tq, Tk), ``q`` (L, Tq, H, K), ``k`` and ``v`` (L, Tk, G, K),
        ``allowed`` (L, Tq, Tk) and ``meta``, a JSON text with the tokens and their text, the stack,
        and the scale of each layer; and where there are some, ``bias`` (L, H, Tq, Tk), ``sink`` (L,
        H, Tq) and for keys of another sequence ``key_special`` (Tk,) and, in ``meta``,
        ``key_tokens`` and the like.
        """
        return serialisation.to_npz(vars(self))

    def to_json(self) -> bytes:
        """Serialise to JSON: the names of :meth:`to_npz`, arrays as lists of exact float32."""
        return serialisation.to_json(vars(self))

    @classmethod
    def from_npz(
        cls, source: bytes | str | Path, *, max_bytes: int = serialisation.MAX_BYTES
    ) -> "AttentionCapture":
        """Read a file of :meth:`to_npz`; see :func:`read_capture`."""
        return read_capture(source, max_bytes=max_bytes)


def read_capture(
    source: bytes | str | Path, *, max_bytes: int = serialisation.MAX_BYTES
) -> AttentionCapture:
    """Read a file of attention weights, by its path, or its bytes.

    It is a file of :meth:`AttentionCapture.to_npz`, or an NPZ or safetensors file with ``weights``
    and ``tokens``. ``key_tokens``, ``special`` and ``model`` are optional, see
    :func:`open_capture`. In safetensors all but the weights are metadata, the lists as JSON.

    Args:
        max_bytes: Most bytes that the file may unpack to.

    Raises:
        HeadlightError: If there is no such file, it is another file, its arrays do not fit its
            tokens, or it unpacks to more bytes.
    """
    meta, arrays = serialisation.read_file(source, max_bytes)
    try:
        if "text" not in meta:
            return open_capture(arrays["weights"], **meta)
        return AttentionCapture(**serialisation.to_fields(meta, arrays))
    except (KeyError, TypeError, AttributeError, IndexError) as error:  # another file's names
        raise serialisation.not_a_capture() from error


def open_capture(
    weights: Any,
    tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    model: str = "my run",
    causal: bool | None = None,
    special: Sequence[bool] | None = None,
) -> AttentionCapture:
    """Make a capture of attention weights that another program recorded, see docs/captures.md.

    It has no queries, keys, values and token ids; what needs them raises a HeadlightError.

    Args:
        weights: After the softmax, (L, H, Tq, Tk): an array, a tensor, or a list of them.
        tokens: Names of the tokens, length Tq.
        key_tokens: Names of the keys of cross-attention, length Tk; None: the tokens.
        model: A name for titles.
        causal: Whether a token attends to earlier ones and itself only, so that later ones are
            masked. None: it does if all weights of later tokens are 0.
        special: True for tokens that the model added to the text, length Tq; None: unknown.

    Raises:
        HeadlightError: If the weights do not fit the tokens, are not finite, do not sum to 1, or
            are not causal as stated.
    """
    queries = foreign_weights.describe(tokens, special)
    keys = None if key_tokens is None else foreign_weights.describe(key_tokens, None)
    array = foreign_weights.to_array(weights)
    foreign_weights.check_shape(array, len(queries.tokens), len((keys or queries).tokens))
    foreign_weights.check_rows(array)
    array.flags.writeable = False
    mask = foreign_weights.find_mask(array, causal) if keys is None else None
    if causal and mask is None:
        raise HeadlightError(
            "Some tokens attend to later ones or to another text, so their attention is not "
            "causal. Leave out “causal”."
        )
    return AttentionCapture(
        **vars(queries),
        model=str(model),
        weights=array,
        q=(),
        k=(),
        v=(),
        allowed=(mask,) * len(array),
        stack="cross" if keys is not None else "encoder" if mask is None else "decoder",
        other_keys=keys,
    )


def check_head(of: Any, layer: int, head: int, name: str) -> None:
    """Check that a model or a capture has a head, in a layer with attention."""
    if not (0 <= layer < of.n_layers and 0 <= head < of.n_heads):
        raise HeadlightError(
            "{model} has no head L{layer}·H{head}: its last layer is {last_layer}, and the last "
            "head of a layer is {last_head}.",
            model=name,
            last_layer=of.n_layers - 1,
            last_head=of.n_heads - 1,
            layer=layer,
            head=head,
        )
    if of.attention_layers is not None and layer not in of.attention_layers:
        raise HeadlightError(
            "Layer {layer} of {model} has no attention. These layers have: {layers}.",
            layer=layer,
            model=name,
            layers=Items(of.attention_layers),
        )


def some_attention(name: str) -> HeadlightError:
    """Make the error for a model in which tokens also mix without attention."""
    return HeadlightError(
        "{model} also mixes tokens without attention, but what is shown here follows attention "
        "alone. Choose another model.",
        model=name,
    )
