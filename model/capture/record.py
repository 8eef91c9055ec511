"""Attention capture by forward hooks: one mechanism for every model.

The hooks are installed once, when a model is loaded, and write to a record that lives in a
context variable. Without a record they do nothing; with one, each thread writes to its own, so
many users can share one model.

Axes: L n_layers, H n_heads, T tokens, K d_head.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np
import orjson
import torch
from torch import Tensor, nn

from model.capture.tokens import Tokens
from model.errors import HeadlightError
from model.transformer.attention import scaled_dot_product_attention

Heads = tuple[Tensor, Tensor, Tensor]
"""q, k and v of all heads of one layer, each (T, H, K)."""


@dataclass(frozen=True)
class AttentionSite:
    """A module that computes attention, and how to read it.

    Attributes:
        module: Its forward returns ``(output, weights, ...)``, weights (1, H, T, T) after softmax.
        projections: The linear maps whose outputs are q, k and v (or all three, fused).
        split_heads: From the projections' outputs and the module's keyword arguments to
            (q, k, v), each (T, H, K), exactly as they enter the dot product.
    """

    module: nn.Module
    projections: tuple[nn.Module, ...]
    split_heads: Callable[[list[Tensor], dict[str, Any]], Heads]


@dataclass(frozen=True)
class HeadsOff:
    """Heads to switch off in a forward pass.

    Attributes:
        heads: Pairs (layer, head).
        how: ``"zero"``: nothing of the head's context enters W^O; its weights stay as they are.
            ``"uniform"``: it attends to every allowed token alike.
        d_head: K, of the model's heads.
    """

    heads: frozenset[tuple[int, int]]
    how: Literal["zero", "uniform"]
    d_head: int

    def silenced(self, layer: int, x: Tensor) -> Tensor:
        """Put zeros where the heads of a layer stand: (..., H*K) with heads side by side."""
        if all(off_layer != layer for off_layer, _ in self.heads):
            return x
        x = x.clone()
        for off_layer, head in self.heads:
            if off_layer == layer:
                x[..., head * self.d_head : (head + 1) * self.d_head] = 0
        return x


@dataclass
class Record:
    """What the hooks saw in one forward pass, in the order of the layers, and what they change."""

    weights: list[Tensor] = field(default_factory=list)
    heads: list[Heads] = field(default_factory=list)
    allowed: list[Tensor | None] = field(default_factory=list)
    projected: list[Tensor] = field(default_factory=list)  # of the layer now running
    joined: int = 0  # layers whose heads have entered W^O
    off: HeadsOff | None = None


_record: ContextVar[Record | None] = ContextVar("attention_record", default=None)


@contextmanager
def recording(off: HeadsOff | None = None) -> Iterator[Record]:
    """Record the attention of one forward pass of this thread inside the block.

    Args:
        off: Heads that are switched off meanwhile, for this thread alone.
    """
    record = Record(off=off)
    token = _record.set(record)
    try:
        yield record
    finally:
        _record.reset(token)


def install_hooks(sites: Iterable[AttentionSite], outputs: Iterable[nn.Module] = ()) -> None:
    """Make the sites write to the record of the thread that runs them, if it has one.

    A module that is shared by several layers (ALBERT) gets its hook once, and fires per layer.

    Args:
        sites: The modules that compute attention.
        outputs: W^O of each layer: where heads are switched off.
    """
    for site in sites:
        for projection in site.projections:
            projection.register_forward_hook(_keep_projection)
        site.module.register_forward_hook(partial(_keep_attention, site), with_kwargs=True)
    for output in dict.fromkeys(outputs):
        output.register_forward_pre_hook(_join_heads)


def _keep_projection(module: nn.Module, args: Any, output: Tensor) -> Tensor:
    record = _record.get()
    if record is None:
        return output
    # The first map is W^Q, also where all three are fused. Queries of zeros score every key alike:
    # softmax then spreads the weights evenly over whatever the model's own mask allows.
    if record.off and record.off.how == "uniform" and not record.projected:
        output = record.off.silenced(len(record.weights), output)
    record.projected.append(output)
    return output


def _join_heads(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Concat(head_1, ..., head_H) is about to enter W^O (Vaswani et al. 2017, section 3.2.2)."""
    record = _record.get()
    if record is None or record.off is None or record.off.how != "zero":
        return args
    record.joined += 1
    return record.off.silenced(record.joined - 1, args[0]), *args[1:]


def _keep_attention(
    site: AttentionSite, module: nn.Module, args: Any, kwargs: dict[str, Any], output: Any
) -> None:
    record = _record.get()
    if record is None:
        return
    weights = output[1]
    if weights is None:
        raise RuntimeError(
            f"{type(module).__name__} gave no attention weights: it must be loaded with eager "
            "attention."
        )
    record.weights.append(weights[0])  # (1, H, T, T) -> (H, T, T)
    record.heads.append(site.split_heads(record.projected, kwargs))
    record.allowed.append(_allowed(kwargs.get("attention_mask")))
    record.projected = []


def _allowed(mask: Tensor | None) -> Tensor | None:
    """transformers adds 0 where attention is allowed; our masks are boolean, True there."""
    if mask is None or mask.ndim != 4:
        return None
    allowed = mask[0, 0] if mask.dtype == torch.bool else mask[0, 0] == 0  # (1, 1, T, T) -> (T, T)
    return None if allowed.all() else allowed


def split_heads(n_heads: int, projected: list[Tensor], kwargs: dict[str, Any]) -> Heads:
    """Read q, k and v off three separate projections, (1, T, H*K) each -> (T, H, K)."""
    q, k, v = (x[0].unflatten(-1, (n_heads, -1)) for x in projected)
    return q, k, v


@dataclass(frozen=True)
class HeadSteps:
    """One head, from its queries to its context; T tokens, K d_head. All float32.

    Attributes:
        q: Queries, (T, K).
        k: Keys, (T, K).
        v: Values, (T, K).
        scores: q k^T / sqrt(d_head), -inf where the model masks, (T, T).
        weights: As captured, after softmax, (T, T).
        context: weights @ v, (T, K).
        allowed: What the model's own mask allows, boolean (T, T); None if it hides nothing.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    allowed: np.ndarray | None = None


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
            scores=steps.masked_scores.numpy(),
            weights=self.weights[layer, head],
            context=steps.output.numpy(),
            allowed=mask,
        )

    def to_npz(self) -> bytes:
        """Serialise to the bytes of a NumPy ``.npz`` file, readable without this project.

        Beside ``weights`` (L, H, T, T), ``q``, ``k``, ``v`` (L, T, H, K) and ``allowed``
        (L, T, T) it holds ``meta``: a JSON text with the tokens and where they come from.
        """
        n_tokens = len(self.tokens)
        everything = np.ones((n_tokens, n_tokens), dtype=bool)
        meta = {name: getattr(self, name) for name in _META}
        file = io.BytesIO()
        np.savez_compressed(
            file,
            weights=self.weights,
            q=np.stack(self.q),
            k=np.stack(self.k),
            v=np.stack(self.v),
            allowed=np.stack([everything if m is None else m for m in self.allowed]),
            special=self.special,
            meta=np.array(json.dumps(meta)),
        )
        return file.getvalue()

    def to_json(self) -> bytes:
        """Serialise to JSON: the same names as :meth:`to_npz`, arrays as nested lists.

        Every number has as many digits as bring back the very same float32.
        """
        content = {
            **{name: getattr(self, name) for name in _META},
            "special": self.special,
            "weights": self.weights,
            # Slices of a larger array: orjson reads whole ones only.
            **{name: np.ascontiguousarray(getattr(self, name)) for name in ("q", "k", "v")},
        }
        return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)

    @classmethod
    def from_npz(cls, data: bytes) -> "AttentionCapture":
        """Read what :meth:`to_npz` wrote.

        Raises:
            HeadlightError: If the bytes are not such a file.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            meta = json.loads(str(arrays.pop("meta")))
            pairs = [tuple(pair) for pair in meta.pop("offsets")]
            meta = {k: tuple(v) if isinstance(v, list) else v for k, v in meta.items()}
            allowed = tuple(None if mask.all() else _frozen(mask) for mask in arrays["allowed"])
            return cls(
                **meta,
                offsets=tuple(pairs),
                special=_frozen(arrays["special"]),
                weights=_frozen(arrays["weights"]),
                q=tuple(_frozen(x) for x in arrays["q"]),
                k=tuple(_frozen(x) for x in arrays["k"]),
                v=tuple(_frozen(x) for x in arrays["v"]),
                allowed=allowed,
            )
        except Exception as error:  # of zipfile, zlib, struct, json or NumPy
            raise HeadlightError("This is not a capture that Headlight saved.") from error


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
    record: Record, tokens: Tokens, model: str, text: str, text_pair: str | None
) -> AttentionCapture:
    """Turn a record into plain arrays.

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
        weights=_frozen(torch.stack(record.weights).numpy()),  # L x (H, T, T) -> (L, H, T, T)
        q=tuple(_frozen(q.numpy()) for q, _, _ in record.heads),
        k=tuple(_frozen(k.numpy()) for _, k, _ in record.heads),
        v=tuple(_frozen(v.numpy()) for _, _, v in record.heads),
        allowed=tuple(None if m is None else _frozen(m.numpy()) for m in record.allowed),
    )
