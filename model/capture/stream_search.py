"""Search for the modules that write to the residual stream, and for the language head.

Only what adds up is found: each layer begins with the output of the layer before; its input and the
outputs of its two parts sum to its output; and the last output through the language head gives the
model's logits.

Axes: T tokens, D d_model, V vocab_size.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from model.capture.language_head import LanguageHead, is_norm
from model.capture.recorder import run_with_hook
from model.capture.residual_stream import LayerSite
from model.capture.sites import layer_list, to_cpu

TensorMap = Callable[[Tensor], Tensor]

ROUNDING = 16
"""Sums may differ by this many units in the last place of their largest part."""


@dataclass(frozen=True)
class Passed:
    """A call of a module: the states that entered and left, (T, D); empty for other values."""

    module: nn.Module
    entering: Tensor
    leaving: Tensor


@dataclass(frozen=True)
class Stream:
    """The layers of a model, all of them or none, and its language head, if it is understood."""

    layers: tuple[LayerSite, ...] = ()
    head: LanguageHead | None = None


@torch.inference_mode()
def find_stream(
    model: nn.Module,
    run: Callable[[], Tensor | None],
    attention: nn.Module,
    outputs: Iterable[nn.Module],
    table: nn.Module | None = None,
    cap: float | None = None,
) -> Stream:
    """Run a model once, before other threads use it, and find its layers and its language head.

    Args:
        run: Runs the model on one text; returns its logits, (1, T, V), or None.
        attention: The attention module of any layer.
        outputs: W^O of the layers with attention.
        table: The linear map to the logits.
        cap: Largest size of a logit; None: unlimited.
    """
    members = set(layer_list(model, attention))
    calls: list[Passed] = []

    def hook(module: nn.Module, args: tuple[Any, ...], kwargs: Any, output: Any) -> None:
        entering = args[0] if args else kwargs.get("hidden_states")
        calls.append(Passed(module, _states(entering), _states(output)))

    logits = run_with_hook(model.modules(), hook, run)
    ends = [index for index, call in enumerate(calls) if call.module in members]
    layers = [calls[index] for index in ends]
    joined = all(_equal(x.leaving, y.entering) for x, y in pairwise(layers))
    if not ends or not joined or not layers[0].entering.numel():
        return Stream()
    known = set(outputs)
    starts = [0, *(end + 1 for end in ends)]
    sites = tuple(
        _site(layer, calls[start:end], known)
        for layer, start, end in zip(layers, starts, ends, strict=False)
    )
    head = None
    if isinstance(table, nn.Linear) and logits is not None:
        head = _head(layers[-1].leaving, calls[ends[-1] + 1 :], table, logits, cap)
    return Stream(sites, head)


def _states(value: Any) -> Tensor:
    first = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(first, Tensor) or first.ndim < 2 or not first.is_floating_point():
        return torch.empty(0)
    return first.clone().flatten(0, -2)  # (1, T, D) -> (T, D)


def _site(layer: Passed, calls: Sequence[Passed], outputs: set[nn.Module]) -> LayerSite:
    """Find the parts of one layer, if its input and their outputs sum to its output."""
    x, y, inside = layer.entering, layer.leaving, set(layer.module.modules())
    same = [c for c in calls if c.module in inside and c.leaving.shape == x.shape]
    written = next((c for c in same if c.module in outputs), None)
    if written is None:
        return LayerSite(layer.module)
    # Gemma 2 normalises the output of W^O before it is added.
    attentions = [written, *(c for c in same if _equal(c.entering, written.leaving))]
    for fitted, attention, forward in product((False, True), attentions, same):
        a, f = attention.leaving, forward.leaving
        factor = float(_slope(a + f, y - x)) if fitted else 1.0
        if attention is not forward and _sums(y, x, factor * a, factor * f):
            parallel = not any(_sums(c.entering, x, factor * a) for c in same)
            parts = attention.module, forward.module
            return LayerSite(layer.module, *parts, None, factor, parallel)
    firsts = [c for c in same if _sums(c.entering, x, written.leaving)]
    lasts = [c for c in same if _equal(c.leaving, y)]
    for first, last, forward in product(firsts, lasts, same):
        if _sums(last.entering, first.leaving, forward.leaving):
            norms = first.module, last.module
            return LayerSite(layer.module, written.module, forward.module, norms)
    return LayerSite(layer.module)


def _equal(one: Tensor, other: Tensor) -> bool:
    return one.dtype == other.dtype and torch.equal(one, other)


def _sums(total: Tensor, *parts: Tensor) -> bool:
    """Return whether parts sum to a total, number by number, as far as rounding allows."""
    if total.shape != parts[0].shape:
        return False
    size, difference = total.abs(), total
    for part in parts:
        size, difference = size + part.abs(), difference - part
    return bool((difference.abs() <= ROUNDING * torch.finfo(total.dtype).eps * size).all())


def _slope(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).sum() / (x * x).sum()


def _head(
    last: Tensor, calls: Sequence[Passed], table: nn.Linear, logits: Tensor, cap: float | None
) -> LanguageHead | None:
    """Follow the input of the table back to the last layer; None if the logits differ."""
    at = next((i for i, call in enumerate(calls) if call.module is table), None)
    steps: tuple[TensorMap, ...] = ()
    while at is not None and not _equal(calls[at].entering, last):
        at, found = _source(calls[:at], calls[at].entering)
        steps = (*found, *steps)
    if at is None:
        return None
    bias = None if table.bias is None else table.bias.detach()
    head = LanguageHead(table.weight.detach(), bias, steps, cap=cap)
    expected = to_cpu(logits).flatten(0, -2)  # (1, T, V) -> (T, V)
    atol = max(1e-5, 4 * torch.finfo(logits.dtype).eps) * float(expected.abs().max())
    for factor in (1.0, float(_slope(head.logits(last), expected))):
        scaled = replace(head, factor=factor)
        if torch.allclose(scaled.logits(last), expected, rtol=0, atol=atol):
            return scaled
    return None


def _source(calls: Sequence[Passed], states: Tensor) -> tuple[int | None, tuple[TensorMap, ...]]:
    """Find the last call that computed some states, and its steps; None without one."""
    for after in ((), (functional.gelu,)):  # RoBERTa's head calls GELU as a function
        for at, call in reversed([*enumerate(calls)]):
            if any(call.module.children()):
                continue
            left = after[0](call.leaving) if after else call.leaving
            if _equal(states, left) and not _equal(call.entering, left):  # not a dropout
                understood = _is_step(call.module)
                return (at, (call.module, *after)) if understood else (None, ())
    return None, ()


def _is_step(module: nn.Module) -> bool:
    """Return whether a module is a norm, a linear map or, without parameters, an activation."""
    plain = not any(True for _ in module.parameters())
    return plain or is_norm(module) or isinstance(module, nn.Linear)
