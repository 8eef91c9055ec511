"""Forward hooks that write to a record of the current thread.

Hooks stay on the module and look up their record in a context variable: each thread has its own, so
that users can share a model. A loaded model keeps them. torch looks up the options of a hook after
it has copied the list of hooks, so that a removal would break a pass in another thread.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from torch import nn

from model.capture.sites import Call

Record = TypeVar("Record")
Result = TypeVar("Result")


def run_with_hook(
    modules: Iterable[nn.Module], hook: Callable[..., Any], run: Callable[[], Result]
) -> Result:
    """Run, before other threads use the modules, with a hook after each of them.

    It gets the module, its arguments, its named arguments and its output, and may return another.
    """
    handles = [module.register_forward_hook(hook, with_kwargs=True) for module in modules]
    try:
        return run()
    finally:
        for handle in handles:
            handle.remove()


class Recorder(Generic[Record]):
    """A kind of record, and the hooks that fill it."""

    def __init__(self, name: str) -> None:
        self._record: ContextVar[Record | None] = ContextVar(name, default=None)

    @property
    def current(self) -> Record | None:
        """The record that the hooks of this thread fill; None outside of a recording."""
        return self._record.get()

    @contextmanager
    def recording(self, record: Record) -> Iterator[Record]:
        """Let the hooks of this thread fill a record inside the block."""
        token = self._record.set(record)
        try:
            yield record
        finally:
            self._record.reset(token)

    def before(
        self, module: nn.Module, read: Callable[[Record, Call], tuple[Any, ...] | None]
    ) -> None:
        """Install a hook before a module; ``read`` returns its arguments, or None to keep them."""

        def hook(_: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            record = self._record.get()
            changed = None if record is None else read(record, Call(args, kwargs, None))
            return None if changed is None else (changed, kwargs)

        module.register_forward_pre_hook(hook, with_kwargs=True)

    def after(self, module: nn.Module, read: Callable[[Record, Call], Any]) -> None:
        """Install a hook after a module; ``read`` returns another output, or None to keep it."""

        def hook(_: nn.Module, args: Any, kwargs: dict[str, Any], output: Any) -> Any:
            record = self._record.get()
            return None if record is None else read(record, Call(args, kwargs, output))

        module.register_forward_hook(hook, with_kwargs=True)
