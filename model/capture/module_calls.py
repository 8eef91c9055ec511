"""Recorded inputs and outputs of modules in one forward pass."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from weakref import WeakSet

from torch import nn

from model.capture.recorder import Recorder
from model.capture.sites import Call

Calls = dict[nn.Module, Call]

_recorder: Recorder[Calls] = Recorder("module_calls")
_hooked: WeakSet[nn.Module] = WeakSet()
_installing = threading.Lock()


@contextmanager
def record_calls(modules: Iterable[nn.Module]) -> Iterator[Calls]:
    """Record the last call of each module that this thread makes inside the block."""
    with _installing:
        for module in modules:
            if module not in _hooked:
                _recorder.after(module, partial(_write, module))
                _hooked.add(module)
    with _recorder.recording({}) as calls:
        yield calls


def _write(module: nn.Module, calls: Calls, call: Call) -> None:
    calls[module] = call
