"""Search for the attention weights and W^O of models whose attention code is their own.

Hooks read the modules that the weights pass through; queries, keys and values stay unknown.

Axes: H n_heads, G heads of values, T tokens (Tq queries, Tk keys), K d_head.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from model.capture.recorder import run_with_hook
from model.capture.sites import AttentionSite, Call, Stack

NEAREST_MAPS = 6
"""Linear maps before W^O among which V is searched."""


def find_weights(
    model: nn.Module, run: Callable[[], object], expected: Sequence[Tensor], stack: Stack
) -> list[AttentionSite]:
    """Run a model once and find the modules whose output, or one of whose outputs, is its weights.

    ``expected`` are the weights of each layer, (1, H, Tq, Tk), as the model returns them. The sites
    are in their order. There are fewer, if the weights of a layer pass through no module, or its
    module also runs for other weights.
    """
    calls = _record(list(model.modules()), run)
    found: list[nn.Module] = []
    for module, _, output in calls:
        if len(found) < len(expected) and any(
            torch.equal(part, expected[len(found)]) for part in _tensors(output)
        ):
            found.append(module)
    # XLNet's dropout of the weights also runs for the output of the layer.
    runs = [module for module, _, output in calls if any(x.ndim == 4 for x in _tensors(output))]
    parents = {child: parent for parent in model.modules() for child in parent.children()}
    return [
        AttentionSite(
            module,
            stack,
            weights=_weights,
            mask=_mask,
            around=module if any(True for _ in module.parameters()) else parents[module],
            other_calls=True,
        )
        for module in found
        if runs.count(module) == 1
    ]


def find_outputs(
    model: nn.Module,
    run: Callable[[], object],
    weights: Sequence[Tensor],
    linear: tuple[type[nn.Module], ...],
) -> tuple[nn.Module, ...]:
    """Run a model once and find W^O of each layer (Vaswani et al. 2017, section 3.2.2), or nothing.

    Its input is weights (1, H, Tq, Tk) @ V, head beside head, for a V of another linear map.
    """
    calls = _record([module for module in model.modules() if isinstance(module, linear)], run)
    found: list[nn.Module] = []
    for index, (module, entering, _) in enumerate(calls):
        if len(found) == len(weights):
            break
        before = (output for _, _, output in calls[max(index - NEAREST_MAPS, 0) : index])
        contexts = (each for output in before for each in _contexts(weights[len(found)], output))
        if any(_same(entering, context) for context in contexts):
            found.append(module)
    return tuple(found) if len(found) == len(weights) else ()


def _weights(call: Call) -> Tensor | None:
    return next((part for part in _tensors(call.output) if part.ndim == 4), None)


def _mask(call: Call) -> Tensor | None:
    """Read the mask that a module takes. Without one: no token of a decoder sees a later one."""
    given = call.kwargs.get("attention_mask")
    # A boolean mask can name what is allowed or what is hidden (MPT).
    if isinstance(given, Tensor) and given.ndim == 4 and given.is_floating_point():
        return given
    weights = _weights(call)
    if weights is None or weights.triu(1).any():
        return None
    return torch.ones_like(weights[:1, :1], dtype=torch.bool).tril()


def _record(
    modules: Sequence[nn.Module], run: Callable[[], object]
) -> list[tuple[nn.Module, Any, Any]]:
    """List the calls of modules in the order in which they end: module, first argument, output."""
    calls: list[tuple[nn.Module, Any, Any]] = []

    def hook(module: nn.Module, args: tuple[Any, ...], _: Any, output: Any) -> None:
        calls.append((module, args[0] if args else None, output))

    run_with_hook(modules, hook, run)
    return calls


def _tensors(output: Any) -> list[Tensor]:
    parts = output if isinstance(output, tuple) else (output,)
    return [part for part in parts if isinstance(part, Tensor)]


def _contexts(weights: Tensor, projected: Tensor) -> Iterator[Tensor]:
    """Contexts of all heads, (Tq, H, K), for each layout in which a linear map can hold V."""
    n_heads, n_tokens = weights.shape[1], weights.shape[3]
    if projected.numel() % n_tokens:
        return
    rows = projected.reshape(n_tokens, -1)  # (1, Tk, N) -> (Tk, N)
    width = rows.shape[1]
    for groups in (g for g in range(1, n_heads + 1) if n_heads % g == 0):
        values = []
        if width % groups == 0:  # V alone: (T, G*K) -> (T, G, K)
            values.append(rows.unflatten(1, (groups, -1)))
        if groups == n_heads and width % (3 * n_heads) == 0:  # (T, 3*H*K) -> (T, H, K)
            values.append(rows.chunk(3, dim=1)[2].unflatten(1, (n_heads, -1)))
        parts = n_heads // groups + 2  # each group holds its queries, a key and a value
        if width % (groups * parts) == 0:  # (T, G*(H/G + 2)*K) -> (T, G, K)
            values.append(rows.unflatten(1, (groups, parts, -1))[:, :, -1])
        for v in values:
            v = v.repeat_interleave(n_heads // groups, dim=1)  # (T, G, K) -> (T, H, K)
            # (H, Tq, Tk), (Tk, H, K) -> (Tq, H, K)
            yield torch.einsum("hqt,thk->qhk", weights[0], v)


def _same(entering: Any, context: Tensor) -> bool:
    if not isinstance(entering, Tensor) or entering.numel() != context.numel():
        return False
    # The model and einsum add in different orders. In 16 bits, the last digits differ more.
    eps = torch.finfo(context.dtype).eps
    rtol, atol = max(1e-4, 4 * eps), max(1e-6, eps * float(context.abs().max()))
    # (1, T, H*K) and (T, H, K)
    return torch.allclose(entering.flatten(), context.flatten(), rtol=rtol, atol=atol)
