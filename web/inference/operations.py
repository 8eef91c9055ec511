"""Operations of models and of large arrays: each waits for its turn in this process's queue.

Nothing inside a turn may wait for another one: with every slot held, both would wait for ever.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from web import settings
from web.inference.forward_queue import ForwardQueue, available_cores

if TYPE_CHECKING:
    from model import LoadedModel

Args = ParamSpec("Args")
Result = TypeVar("Result")

LONG = 1e10
"""Products of a heavy pass: a third of a second on one core."""

LARGE = 1_000_000
"""Numbers of large arrays. The work on smaller ones takes 20 ms."""

forward_queue = ForwardQueue(available_cores(), settings.now().queue)

load_queue = ForwardQueue(1, settings.now().queue, timeout=120)
"""One load of a large model at a time: what its check finds free stays free.

A load takes no turn of :data:`forward_queue`, which others would miss for a minute.
"""


def is_long(model: "LoadedModel", *texts: str | None) -> bool:
    """Whether a pass of a model on texts is heavy; about four bytes are a token."""
    n_bytes = sum(len(text.encode(errors="surrogatepass")) for text in texts if text)
    n_tokens = min(n_bytes / 4, model.most_tokens)
    # Per token and layer: 4 d^2 in attention, 8 d^2 in feed-forward.
    return 12 * model.n_layers * model.d_model**2 * n_tokens > LONG


def pass_turn(model: "LoadedModel", *texts: str | None) -> AbstractContextManager[None]:
    """Turn for a pass of a model on texts."""
    return forward_queue.turn(heavy=is_long(model, *texts))


def array_turn(n_numbers: float) -> AbstractContextManager[None]:
    """Turn for work on arrays of so many numbers; none if they are small."""
    return forward_queue.turn(heavy=True) if n_numbers > LARGE else nullcontext()


def compute(operation: Callable[Args, Result], *args: Args.args, **kwargs: Args.kwargs) -> Result:
    """Run an operation in a turn of the queue; see :meth:`ForwardQueue.turn`."""
    with forward_queue.turn():
        return operation(*args, **kwargs)
