"""Cache of computed results, shared by all sessions and bounded by bytes.

A run keeps its own results until it ends, even if the shared cache evicts them.
"""

import sys
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property, update_wrapper
from itertools import chain
from math import inf
from operator import itemgetter
from time import monotonic
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar

from cachetools import TLRUCache, cached

from model.errors import HeadlightError
from web import settings
from web.streamlit_patches.script_context import current_run

Args = ParamSpec("Args")
Result = TypeVar("Result")

MAX_ARGUMENT_BYTES = 512 * 1024
"""Limit for the arguments of one call. Pages cut texts to fewer bytes
(:data:`model.capture.tokens.MAX_CHARACTERS`, at most 4 bytes each, two sentences, two sides)."""

MB = 1024**2

SMALL_BYTES = 8 * MB
"""Budget for a table of heads or tokens, as opposed to attention weights."""


class IdleExpiryCache(TLRUCache[Hashable, Any]):
    """LRU cache bounded by bytes, whose idle entries expire, but not those with ``pinned`` keys."""

    def __init__(self, max_bytes: int, size: Callable[[Any], int]) -> None:
        """Create an empty cache; the server's settings say when an entry is idle."""
        # A local name for the closure: a reference to self would be a cycle.
        self.pinned = pinned = set[Hashable]()
        idle_seconds = 60 * settings.now().idle

        def expiry(key: Hashable, value: object, now: float) -> float:
            return inf if key in pinned else now + idle_seconds

        super().__init__(max_bytes, expiry, monotonic, size)

    def __getitem__(self, key: Hashable) -> Any:
        """Return a value and restart its idle time."""
        self[key] = value = super().__getitem__(key)
        return value


class SharedStore:
    """Values by key for all sessions, evicted when they are idle or too many."""

    instances: ClassVar[list["SharedStore"]] = []
    """All stores of the process."""

    def __init__(self, max_bytes: int, size: Callable[[Any], int]) -> None:
        self._max_bytes, self._size = max_bytes, size
        self._lock = threading.Condition()
        self.instances.append(self)

    @cached_property
    def _cache(self) -> IdleExpiryCache:
        # Created at the first use, when the server's settings are known.
        return IdleExpiryCache(settings.scale_budget(self._max_bytes), self._size)

    def put(self, key: Hashable, value: Any) -> None:
        """Keep a value, unless it is larger than the whole budget."""
        with self._lock:
            if self._size(value) <= self._cache.maxsize:
                self._cache[key] = value

    def get(self, key: Hashable) -> Any:
        """Return a value, or None if it is gone."""
        with self._lock:
            return self._cache.get(key)

    def evict_idle(self) -> int:
        """Evict idle values; returns their number."""
        with self._lock:
            return len(self._cache.expire())


class SharedFunction(SharedStore, Generic[Args, Result]):
    """A function whose results are cached for all sessions; see :func:`shared`."""

    def __init__(self, compute: Callable[Args, Result], max_bytes: int, min_entries: int) -> None:
        super().__init__(max_bytes, itemgetter(1))
        update_wrapper(self, compute)
        self._compute, self._min_entries = compute, min_entries

    @property
    def cached(self) -> Any:
        """The function with its cache."""
        with self._lock:
            return self._cached

    @cached_property
    def _cached(self) -> Any:
        most = int(self._cache.maxsize) // self._min_entries

        # With the condition, concurrent calls with the same arguments wait for one computation. If
        # it fails, the next call computes.
        @cached(self._cache, condition=self._lock)
        def compute_and_measure(*args: Args.args, **kwargs: Args.kwargs) -> tuple[Result, int]:
            argument_bytes = size_of((args, kwargs))
            if argument_bytes > MAX_ARGUMENT_BYTES:
                raise HeadlightError("The text is too long. Shorten it.")
            result = self._compute(*args, **kwargs)
            return result, min(argument_bytes + size_of(result), most)

        return compute_and_measure

    def __call__(self, *args: Args.args, **kwargs: Args.kwargs) -> Result:
        """Return the result: from this run, from the shared cache, or computed."""
        key = (self, args, *sorted(kwargs.items()))
        result: Result = once_per_run(key, lambda: self.cached(*args, **kwargs)[0])
        return result

    def pin(self, *args: Args.args, **kwargs: Args.kwargs) -> Result:
        """Return the result and exempt it from expiry."""
        self.cached.cache.pinned.add(self.cached.cache_key(*args, **kwargs))
        return self(*args, **kwargs)


def shared(
    max_bytes: int, min_entries: int = 1
) -> Callable[[Callable[Args, Result]], SharedFunction[Args, Result]]:
    """Decorator that caches a function's results for all sessions.

    No result counts for more than ``max_bytes / min_entries``. So a visitor who looks at very large
    results finds them at the next click; the process then exceeds the budget.
    """
    return lambda compute: SharedFunction(compute, max_bytes, min_entries)


def evict_idle() -> int:
    """Evict what is idle in all shared functions and stores; returns the number."""
    return sum(each.evict_idle() for each in SharedStore.instances)


def size_of(value: object) -> int:
    """Bytes of a value: its ``nbytes``, or its own and its parts'; each occurrence counts."""
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


_thread = threading.local()
"""Results of this thread's run, and of the one before, such as a callback of a fragment."""


def once_per_run(key: Hashable, compute: Callable[[], Any]) -> Any:
    """Return this run's result for a key, or the previous run's; compute it otherwise."""
    run = current_run()
    if run is None:
        return compute()
    if getattr(_thread, "run", None) is not run:
        _thread.run, _thread.previous = run, getattr(_thread, "results", {})
        _thread.results = {}
    results, previous = _thread.results, _thread.previous
    if key not in results:
        results[key] = previous[key] if key in previous else compute()
    return results[key]
