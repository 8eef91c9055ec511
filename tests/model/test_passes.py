"""Turns at the cores: who is first, who may wait, and what they are told meanwhile."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from model import passes as module
from model.passes import BusyError, Kind, Passes, told

THREADS = 6


def until(holds: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(2000):
        if holds():
            return
        waiting.wait(0.005)
    raise AssertionError("it never came to that")


class Queue:
    """Passes of which all turns are held, and those who wait for one."""

    def __init__(self, passes: Passes, pool: ThreadPoolExecutor) -> None:
        self.passes, self.pool = passes, pool
        self.order: list[str] = []
        self.held = ExitStack()
        for _ in range(passes.at_once):
            self.held.enter_context(passes.turn())
        self.waits: list[Future[None]] = []

    def wait(self, name: str, kind: Kind = "sentence") -> None:
        def take() -> None:
            with self.passes.turn(kind):
                self.order.append(name)

        before = len(self.passes._waiting)
        self.waits.append(self.pool.submit(take))
        until(lambda: len(self.passes._waiting) == before + 1)

    def let_go(self) -> None:
        self.held.close()
        for each in self.waits:
            each.result(10)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(THREADS) as pool:
        yield pool


def test_a_turn_goes_to_whoever_has_waited_longest(pool: ThreadPoolExecutor) -> None:
    queue = Queue(Passes(1), pool)
    for name in "abc":
        queue.wait(name)
    queue.let_go()
    with queue.passes.turn():  # it is free again
        queue.order.append("again")
    assert queue.order == ["a", "b", "c", "again"]


def test_a_sentence_goes_before_a_token_that_was_asked_for_first(pool: ThreadPoolExecutor) -> None:
    queue = Queue(Passes(1), pool)
    for name, kind in (("l", "long"), ("t", "token"), ("s", "sentence")):
        queue.wait(name, kind)
    queue.let_go()
    assert queue.order == ["s", "t", "l"]


def test_what_has_waited_long_is_not_overtaken_for_ever(pool, monkeypatch) -> None:
    monkeypatch.setitem(module.LATER, "token", -1.0)  # as if it had come two seconds earlier
    queue = Queue(Passes(1), pool)
    queue.wait("s")
    queue.wait("t", "token")
    queue.let_go()
    assert queue.order == ["t", "s"]


def test_what_is_long_leaves_a_core_to_others() -> None:
    passes, taken = Passes(2), threading.Event()

    def take(kind: Kind) -> None:
        with passes.turn(kind):
            taken.set()

    with passes.turn("long"):
        second = threading.Thread(target=take, args=("long",))
        second.start()
        until(lambda: len(passes._waiting) == 1)
        assert not taken.is_set()
        with passes.turn():  # comes at once, though another has waited before
            assert not passes.idle()
    second.join(10)
    assert taken.is_set() and passes.idle(2) and not passes.idle(3)


def test_one_core_is_enough_for_what_is_long() -> None:
    with Passes(1).turn("long"):
        pass


def test_too_many_are_refused_and_nobody_else_loses_by_it(pool: ThreadPoolExecutor) -> None:
    queue = Queue(Passes(1, most_waiting=2), pool)
    queue.wait("a")
    queue.wait("b")
    with pytest.raises(BusyError, match="2 others wait"), queue.passes.turn():
        pass
    queue.let_go()
    assert queue.order == ["a", "b"]


def test_who_waits_is_told_how_many_are_before_it_and_gives_up_in_words(pool, monkeypatch) -> None:
    monkeypatch.setattr(module, "TELL_AFTER", 0.01)
    queue = Queue(Passes(1, patience=0.2), pool)
    queue.passes.patience = 10
    queue.wait("a")
    queue.passes.patience = 0.2
    heard: list[int | None] = []
    refused = pytest.raises(BusyError, match=r"after 0\.2 seconds")
    with told(heard.append), refused, queue.passes.turn():
        pass
    assert set(heard) == {1}
    queue.let_go()
    assert queue.passes.idle() and queue.order == ["a"]


def test_the_turn_that_comes_late_is_told_too(monkeypatch) -> None:
    monkeypatch.setattr(module, "TELL_AFTER", 0.01)
    passes, heard, go_on = Passes(1), list[int | None](), threading.Event()

    def hold() -> None:
        with passes.turn():
            go_on.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    until(lambda: not passes.idle())

    def tell(before: int | None) -> None:
        heard.append(before)
        go_on.set()

    with told(tell), passes.turn():
        assert heard[0] == 0 and heard[-1] is None
    holder.join(10)


@pytest.mark.parametrize("turn_has_come", [False, True])
def test_who_leaves_while_it_waits_leaves_no_turn_taken(monkeypatch, turn_has_come) -> None:
    class Left(BaseException):
        pass

    monkeypatch.setattr(module, "TELL_AFTER", 0.01)
    passes = Passes(1)

    def leave(_before: int | None) -> None:
        if turn_has_come:
            first.close()
        raise Left

    first = ExitStack()
    first.enter_context(passes.turn())
    with told(leave), pytest.raises(Left), passes.turn():
        pass
    first.close()
    assert passes.idle(1)
