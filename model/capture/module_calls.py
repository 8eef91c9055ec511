"""Recorded inputs and outputs of modules in one forward pass.

Axes: T tokens, D d_model.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakSet

from torch import Tensor, nn

from model.capture.recorder import Recorder
from model.capture.sites import Call


@dataclass(frozen=True)
class ModuleCall:
    """One call of a module on a batch of one sentence.

    Attributes:
        inputs: The positional arguments. States lose the batch axis: (1, T, D) -> (T, D). Other
            arguments, such as masks, are unchanged.
        output: The output tensor, or the first of several, without the batch axis.
    """

    inputs: tuple[Any, ...]
    output: Tensor


Calls = dict[nn.Module, Call]
ModuleCalls = dict[nn.Module, ModuleCall]

_recorder: Recorder[Calls] = Recorder("module_calls")
_hooked: WeakSet[nn.Module] = WeakSet()
_installing = threading.Lock()


@contextmanager
def record_calls(modules: Iterable[nn.Module]) -> Iterator[Calls]:
    """Record the last call of each module that this thread makes inside the block.

    Yields:
        The calls by module, in the order in which the modules ran. They are complete after the
        forward pass.
    """
    with _installing:
        for module in modules:
            if module not in _hooked:
                _recorder.after(module, partial(_write, module))
                _hooked.add(module)
    with _recorder.recording({}) as calls:
        yield calls


def record_module_calls(modules: Iterable[nn.Module], run: Callable[[], object]) -> ModuleCalls:
    """Run a model on one sentence and record the inputs and outputs of some of its modules.

    Args:
        modules: Modules of the model. The pass must run each of them.

    Raises:
        LookupError: If a module did not run.
    """
    wanted = list(modules)
    with record_calls(wanted) as calls:
        run()
    if not calls.keys() >= set(wanted):
        raise LookupError("A module did not run in the forward pass.")
    return {module: _without_batch(calls[module]) for module in wanted}


def _write(module: nn.Module, calls: Calls, call: Call) -> None:
    calls[module] = call


def _without_batch(call: Call) -> ModuleCall:
    # A boolean mask has no sentence axis to drop: it broadcasts over heads.
    inputs = (
        value[0] if isinstance(value, Tensor) and value.is_floating_point() else value
        for value in call.args
    )
    first = call.output[0] if isinstance(call.output, tuple) else call.output
    return ModuleCall(tuple(inputs), first[0])  # (1, T, D) -> (T, D)
