"""What goes into modules and what comes out of them, in one forward pass.

As with attention (hooks.py), hooks are installed once per module and write to a record that lives
in a context variable: without one they do nothing, and each thread writes to its own.

Axes: T tokens, D d_model.
"""

import threading
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from torch import Tensor, nn


@dataclass(frozen=True)
class Passage:
    """One pass through a module.

    Attributes:
        inputs: What it was called with in places, not by name; (1, T, D) as (T, D), masks as they
            are.
        output: The tensor that came out, or the first of several, without the batch of one.
    """

    inputs: tuple[Any, ...]
    output: Tensor


Passages = dict[nn.Module, Passage]

_passages: ContextVar[Passages | None] = ContextVar("passages", default=None)
_hooked: WeakSet[nn.Module] = WeakSet()
_installing = threading.Lock()


def passages(modules: Iterable[nn.Module], run: Callable[[], object]) -> Passages:
    """Run a model on one sentence, and see what goes into modules of it and what comes out.

    Args:
        modules: Of the model; each is run once.
        run: Runs it.

    Raises:
        LookupError: If a module was not run.
    """
    wanted = list(modules)
    with _installing:
        for module in wanted:
            if module not in _hooked:
                module.register_forward_hook(_keep)
                _hooked.add(module)
    seen: Passages = {}
    token = _passages.set(seen)
    try:
        run()
    finally:
        _passages.reset(token)
    return {module: seen[module] for module in wanted}


def _keep(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
    seen = _passages.get()
    if seen is None:
        return
    first = output[0] if isinstance(output, tuple) else output
    seen[module] = Passage(tuple(map(_without_batch, args)), first[0])


def _without_batch(value: Any) -> Any:
    """(1, T, D) -> (T, D); a mask, which is boolean and broadcasts over heads, as it is."""
    states = isinstance(value, Tensor) and value.is_floating_point()
    return value[0] if states else value
