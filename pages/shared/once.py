"""Answers that are computed once: for everybody while there is room, in a run in any case."""

import sys
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from functools import update_wrapper
from itertools import chain
from math import inf
from operator import itemgetter
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar

from cachetools import TLRUCache, cached
from streamlit.runtime.scriptrunner import get_script_run_ctx

from model.errors import HeadlightError
from pages.shared import settings

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

MOST_ASKED = 512 * 1024
"""Bytes of one question. Pages cut texts shorter (:data:`model.capture.tokens.MAX_CHARACTERS`, at
most 4 bytes each, two sentences, two sides); what gets past them becomes no key."""

SMALL_BYTES = 8 * 1024**2
"""For each kind of answer that is a table of heads or tokens rather than one of weights."""


Clock = Callable[[], float]
"""Tells seconds."""


class InUse(TLRUCache[Hashable, Any]):
    """What is asked for stays: for a time, and as long as there is room.

    Attributes:
        always: Keys that no time lets go of.
    """

    def __init__(
        self, n_bytes: int, size: Callable[[Any], int], clock: Clock = time.monotonic
    ) -> None:
        """Nothing is kept.

        Args:
            n_bytes: Of all that is kept; the server's settings say for how long.
            size: Of one of them, in bytes.
            clock: The time.
        """
        self.always = always = set[Hashable]()  # in no circle with what tells the time
        idle = 60 * settings.now().idle

        def until(key: Hashable, value: object, now: float) -> float:
            return inf if key in always else now + idle

        super().__init__(n_bytes, until, clock, size)

    def __getitem__(self, key: Hashable) -> Any:
        """What is kept; its time begins anew."""
        self[key] = value = super().__getitem__(key)
        return value


class Shared(Generic[Asked, Answer]):
    """A function whose answers all visitors share; see :func:`shared`.

    Attributes:
        kept: The function behind the cache, ``kept.cache``; it gives an answer and what it counts.
    """

    of_process: ClassVar[list["Shared[..., Any]"]] = []
    """All there are."""

    def __init__(
        self,
        compute: Callable[Asked, Answer],
        n_bytes: int,
        at_once: int,
        clock: Clock = time.monotonic,
    ) -> None:
        update_wrapper(self, compute)
        self._compute, self._n_bytes, self._at_once = compute, n_bytes, at_once
        self._kept: Any = None
        self._clock = clock
        self._making = threading.Lock()
        self.of_process.append(self)

    @property
    def kept(self) -> Any:
        """Made when it is first asked for: by then the server's settings are known."""
        with self._making:
            self._kept = self._kept or self._cache(settings.of_memory(self._n_bytes))
            return self._kept

    def _cache(self, n_bytes: int) -> Any:

        # The condition makes a hundred students with one sentence wait for one forward pass. If it
        # fails, the next of them tries.
        @cached(InUse(n_bytes, itemgetter(1), self._clock), condition=threading.Condition())
        def kept(*asked: Asked.args, **named: Asked.kwargs) -> tuple[Answer, int]:
            asked_bytes = size_of((asked, named))
            if asked_bytes > MOST_ASKED:
                raise HeadlightError("The text is too long: shorten it.")
            answer = self._compute(*asked, **named)
            return answer, min(asked_bytes + size_of(answer), n_bytes // self._at_once)

        return kept

    def __call__(self, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        """The answer: this run's, or anybody's, or a new one.

        Raises:
            HeadlightError: If what is asked is larger than MOST_ASKED; and what the function does.
        """
        key = (self, asked, *sorted(named.items()))
        answer: Answer = once_a_run(key, lambda: self.kept(*asked, **named)[0])
        return answer

    def stay(self, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        """The answer, which stays also where nobody asks for it."""
        self.kept.cache.always.add(self.kept.cache_key(*asked, **named))
        return self(*asked, **named)

    def forget_idle(self) -> int:
        """Let go of what nobody has asked for in a while; returns how many answers that were."""
        if self._kept is None:
            return 0
        with self.kept.cache_lock:
            return len(self.kept.cache.expire())

    def begin(self, helpers: ThreadPoolExecutor, *asked: Asked.args, **named: Asked.kwargs) -> None:
        """Have this run's answer found beside what the run does; asked for, it waits for the rest.

        Nothing is begun where the answer is there. Whatever is wrong is said when it is asked for.
        """
        if get_script_run_ctx(suppress_warning=True) is None:
            return
        key = (self, asked, *sorted(named.items()))
        now, before = _of_this_run()
        kept = self.kept.cache_key(*asked, **named) in self.kept.cache
        if not (kept or key in now or key in before):
            now[key] = helpers.submit(lambda: self.kept(*asked, **named)[0])


def shared(
    n_bytes: int, at_once: int = 1
) -> Callable[[Callable[Asked, Answer]], Shared[Asked, Answer]]:
    """Make a function compute each answer once for everybody.

    Forgotten are the oldest where bytes run out, and what nobody has asked for in a while.

    No answer counts for more than its share of the budget. So whoever looks at very large ones
    finds them again at the next click, instead of each pushing the other out; beyond the budget
    the process then holds ``at_once`` of them, the last that were asked for.

    Args:
        n_bytes: Of the answers and of what was asked, as :func:`size_of` counts them.
        at_once: How many answers one visitor looks at: so many always stay, however large.

    Returns:
        A decorator. Arguments must be hashable and answers are never copied: both to be read only.
    """
    return lambda compute: Shared(compute, n_bytes, at_once)


def forget_idle() -> int:
    """Let go of all that nobody has asked for in a while; returns how many answers that were."""
    return sum(each.forget_idle() for each in tuple(Shared.of_process))


def size_of(value: object) -> int:
    """Bytes that a value holds in memory: what it says itself, or its parts' and its own.

    Parts that are shared count each time they occur.
    """
    own: int | None = getattr(value, "nbytes", None)  # arrays, tensors, captures, models
    if own is not None:
        return own
    parts: Any = ()
    if is_dataclass(value):
        parts = (getattr(value, field.name) for field in fields(value))
    elif isinstance(value, Mapping):
        parts = chain.from_iterable(value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = value
    return sys.getsizeof(value) + sum(map(size_of, parts))


class _Answers(threading.local):
    """What the runs of this thread were answered, the present one and the one before.

    A visitor's runs have a thread of their own, which ends when nothing is left to run. A callback
    that asks for a fragment is a run by itself, and the fragment is the next: hence two.
    """

    run: object = None

    def __init__(self) -> None:
        self.now: dict[Hashable, Any] = {}
        self.before: dict[Hashable, Any] = {}


_answers = _Answers()


def once_a_run(key: Hashable, ask: Callable[[], Any]) -> Any:
    """Ask only if this run, or the one just before it in its thread, was not answered yet.

    What a run is looking at stays alive until it ends, whatever other visitors ask meanwhile.

    Args:
        key: What is asked.
        ask: Finds the answer.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:  # the warm-up, a download, a test: no run that would end
        return ask()
    now, before = _of_this_run()
    if key not in now:
        now[key] = before[key] if key in before else ask()
    if isinstance(now[key], Future):
        now[key] = _found(now[key], ask)
    return now[key]


def _of_this_run() -> tuple[dict[Hashable, Any], dict[Hashable, Any]]:
    """The answers of this run and of the one before it in its thread."""
    context = get_script_run_ctx()
    cursors = None if context is None else context.cursors
    if _answers.run is not cursors:  # Streamlit begins each run with new ones
        _answers.run = cursors
        _answers.before, _answers.now = _answers.now, {}
    return _answers.now, _answers.before


def _found(begun: "Future[Any]", ask: Callable[[], Any]) -> Any:
    """What a helper found; what it did not begin with, or could not find, the run finds itself."""
    if begun.cancel() or begun.exception() is not None:
        return ask()
    return begun.result()
