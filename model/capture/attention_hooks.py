"""Forward hooks that record, and can change, the attention of a model.

Axes: B texts, L n_layers, H n_heads, G heads of keys and values, T tokens (Tq queries, Tk keys), K
d_head.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, Literal

import torch
from torch import Tensor, nn

from model.capture.recorder import Recorder
from model.capture.sites import QKV, AttentionSite, Call, Stack, to_cpu
from model.errors import HeadlightError


@dataclass(frozen=True)
class HeadsOff:
    """Heads to switch off in a forward pass.

    With ``"zero"``, the context of the head enters W^O as zeros; its weights stay the same. With
    ``"uniform"``, the head attends to all allowed tokens equally, but for a bias on the scores.
    """

    heads: frozenset[tuple[int, int]]
    how: Literal["zero", "uniform"]
    d_head: int
    stack: Stack = "encoder"

    def zero_heads(self, layer: int, x: Tensor) -> Tensor:
        """Copy the values of all heads, (..., H*K), with zeros for those off in a layer."""
        if all(off_layer != layer for off_layer, _ in self.heads):
            return x
        x = x.clone()
        for off_layer, head in self.heads:
            if off_layer == layer:
                x[..., head * self.d_head : (head + 1) * self.d_head] = 0
        return x


@dataclass(frozen=True)
class LayerAttention:
    """Recorded attention of one layer, float32 on the CPU.

    Attributes:
        weights: (H, Tq, Tk), after softmax.
        heads: q (Tq, H, K), k and v (Tk, G, K); None if unknown.
        allowed: Boolean (Tq, Tk), True where the mask allows attention; None without a mask.
        scale: Factor on the raw scores; None: 1 / sqrt(K).
        bias: Added to the scaled scores, (H, Tq, Tk); None: nothing.
        sink: Weight of the sink, (H, Tq); None without one.
    """

    stack: Stack
    weights: Tensor
    heads: QKV | None
    allowed: Tensor | None
    scale: float | None = None
    bias: Tensor | None = None
    sink: Tensor | None = None


@dataclass
class AttentionRecord:
    """Recorded attention of one forward pass, and the changes that the hooks make to the pass.

    It belongs to the first text of a batch; :meth:`row` gives the records of the others. An
    encoder-decoder runs all encoder layers, then self- and cross-attention of each decoder layer.

    Attributes:
        n_layers: Number of layers of each stack; 0 if unknown.
        numbers: The layers that have attention, in order; None: all.
        gathered: Weights by stack, (L, H, Tq, Tk).
        mask: The last mask, the shape it was read for, and the result. Most layers share a mask.
    """

    layers: list[LayerAttention] = field(default_factory=list)
    projected: list[Tensor] = field(default_factory=list)
    n_joined: Counter[Stack] = field(default_factory=Counter)
    off: HeadsOff | None = None
    n_layers: int = 0
    numbers: tuple[int, ...] | None = None
    gathered: dict[Stack, Tensor] = field(default_factory=dict)
    mask: tuple[Tensor, torch.Size, Tensor | None] | None = None
    others: "list[AttentionRecord]" = field(default_factory=list)

    def row(self, index: int) -> "AttentionRecord":
        """Return the record of a text of the batch."""
        if index == 0:
            return self
        if index > len(self.others):
            self.others.append(AttentionRecord(n_layers=self.n_layers, numbers=self.numbers))
        return self.others[index - 1]

    def stack(self, name: Stack) -> list[LayerAttention]:
        """Select the layers of one stack, in order."""
        return [layer for layer in self.layers if layer.stack == name]

    def gather(self, name: Stack, weights: Tensor) -> Tensor:
        """Copy a layer's weights, (H, Tq, Tk), into the array of its stack, if there is one.

        The next layer can then reuse their memory: to stack 30 layers later would need it twice.
        """
        if not self.n_layers:
            return to_cpu(weights)
        if name not in self.gathered:
            fill = torch.empty if self.numbers is None else torch.zeros
            self.gathered[name] = fill((self.n_layers, *weights.shape))
        index = len(self.stack(name))
        layer = index if self.numbers is None else self.numbers[index]
        return self.gathered[name][layer].copy_(weights)

    @property
    def weights(self) -> list[Tensor]:
        """Weights of all recorded layers, (H, Tq, Tk) each."""
        return [layer.weights for layer in self.layers]


_recorder: Recorder[AttentionRecord] = Recorder("attention")


@contextmanager
def record_attention(
    off: HeadsOff | None = None, n_layers: int = 0, numbers: tuple[int, ...] | None = None
) -> Iterator[AttentionRecord]:
    """Record the attention of one forward pass of this thread inside the block.

    The weights of each stack share an array if ``n_layers`` is known. ``numbers``: None for all.
    """
    record = AttentionRecord(off=off, n_layers=n_layers, numbers=numbers)
    with _recorder.recording(record):
        yield record


def current_record() -> AttentionRecord | None:
    """Return the record of this thread's forward pass, or None if nothing is recorded."""
    return _recorder.current


def install_attention_hooks(
    sites: Iterable[AttentionSite], outputs: Iterable[nn.Module] = (), stack: Stack = "encoder"
) -> None:
    """Install the hooks that fill the records: once on a module that serves several layers."""
    for site in (each for each in sites if each.hooked):
        for projection in site.projections:
            _recorder.after(projection, partial(_write_projection, site))
        _recorder.after(site.module, partial(_write_layer, site))
    for output in dict.fromkeys(outputs):
        _recorder.before(output, partial(_zero_contexts, stack))


def _write_projection(site: AttentionSite, record: AttentionRecord, call: Call) -> Tensor | None:
    output: Tensor = call.output
    changed, off, stack = None, record.off, site.stack
    # The first map is W^Q. Queries of zeros give equal scores to all keys, so softmax spreads the
    # weights evenly over the keys that the model's mask allows.
    if off and off.stack == stack and off.how == "uniform" and not record.projected:
        output = changed = off.zero_heads(len(record.stack(stack)), output)
    record.projected.append(output)
    return changed


def _zero_contexts(stack: Stack, record: AttentionRecord, call: Call) -> tuple[Any, ...] | None:
    """Change Concat(head_1, ..., head_H) before W^O (Vaswani et al. 2017, section 3.2.2)."""
    off = record.off
    if off is None or off.how != "zero" or off.stack != stack:
        return None
    record.n_joined[stack] += 1
    return off.zero_heads(record.n_joined[stack] - 1, call.args[0]), *call.args[1:]


def _write_layer(site: AttentionSite, record: AttentionRecord, call: Call) -> None:
    weights = site.weights(call)
    if weights is None and site.other_calls:
        return
    if weights is None:
        raise RuntimeError(
            f"{type(site.module).__name__} gave no attention weights: it must be loaded with "
            "eager attention."
        )
    allowed = read_mask(record, site.mask(call), weights.shape)
    for index, own in enumerate(weights):  # (B, H, Tq, Tk) -> (H, Tq, Tk)
        row = record.row(index)
        projected = [x[index : index + 1] for x in record.projected]  # (B, T, N) -> (1, T, N)
        heads = None
        if site.split_heads is not None:
            q, k, v = site.split_heads(projected)
            heads = (to_cpu(q), to_cpu(k), to_cpu(v))
        row.layers.append(LayerAttention(site.stack, row.gather(site.stack, own), heads, allowed))
    record.projected = []


def read_mask(record: AttentionRecord, mask: Tensor | None, shape: torch.Size) -> Tensor | None:
    """Convert the mask of a layer, for weights (B, H, Tq, Tk), once for all that share it."""
    if mask is None:
        return None
    # One mask over keys can serve the queries of an encoder and of a decoder, in different number.
    if record.mask is None or record.mask[0] is not mask or record.mask[1] != shape:
        record.mask = mask, shape, _allowed(mask, shape)
    return record.mask[2]


def _allowed(mask: Tensor, shape: torch.Size) -> Tensor | None:
    """Convert a mask to our boolean form: transformers adds 0 where attention is allowed."""
    if mask.dtype != torch.bool and mask.ndim != 4:
        return None
    allowed = mask if mask.dtype == torch.bool else mask == 0
    if allowed.all():
        return None
    if allowed.ndim == 4 and not (allowed[0] == allowed[0, :1]).all():
        raise RuntimeError("The heads of a layer have masks of their own: a capture holds one.")
    # (..., Tq or 1, Tk or 1) -> (1, H, Tq, Tk) -> (Tq, Tk)
    own = allowed.expand(shape)[0, 0].clone(memory_format=torch.contiguous_format)
    return own.cpu()


def check_finite(
    weights: Iterable[Tensor], model: str, dtype: str, numbers: Iterable[int] | None = None
) -> None:
    """Refuse weights that are not finite, one tensor for each layer of ``numbers`` (None: all)."""
    for layer, each in zip(count() if numbers is None else numbers, weights, strict=False):
        if not each.isfinite().all():
            raise HeadlightError(
                "In layer {layer} of {model}, the attention weights are not numbers (NaN). Its "
                "numbers are not finite, or overflow in {dtype}. Choose float32 or another model.",
                layer=layer,
                model=model,
                dtype=dtype,
            )
