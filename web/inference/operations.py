"""Operations of models: each call waits for its turn in this process's queue."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from web import settings
from web.inference.forward_queue import ForwardQueue, available_cores

Args = ParamSpec("Args")
Result = TypeVar("Result")

forward_queue = ForwardQueue(available_cores(), settings.now().queue)


def compute(operation: Callable[Args, Result], *args: Args.args, **kwargs: Args.kwargs) -> Result:
    """Run an operation in a turn of the queue.

    Raises:
        BusyError: If the queue is full, or the wait too long.
        HeadlightError: As the operation raises it.
    """
    with forward_queue.turn():
        return operation(*args, **kwargs)
