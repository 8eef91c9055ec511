"""Order, limits and notifications of the queue."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from web.inference import forward_queue as module
from web.inference.forward_queue import (
    BusyError,
    ForwardQueue,
    Kind,
    Visitor,
    notify_waiters,
    turns_of,
)

THREADS = 6


def until(holds: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(2000):
        if holds():
            return
        waiting.wait(0.005)
    raise AssertionError("the condition never held")


class Queue:
    """A queue without free turns, and threads that wait in it."""

    def __init__(self, passes: ForwardQueue, pool: ThreadPoolExecutor) -> None:
        self.passes, self.pool = passes, pool
        self.order: list[str] = []
        self.held = ExitStack()
        for _ in range(passes.n_slots):
            self.held.enter_context(passes.turn())
        self.waits: list[Future[None]] = []

    def wait(self, name: str, kind: Kind = "sentence", visitor: Visitor = ("", "")) -> None:
        def take() -> None:
            with turns_of(visitor), self.passes.turn(kind):
                self.order.append(name)

        before = len(self.passes._waiting)
        self.waits.append(self.pool.submit(take))
        until(lambda: len(self.passes._waiting) == before + 1)

    def release(self) -> None:
        self.held.close()
        for each in self.waits:
            each.result(10)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(THREADS) as pool:
        yield pool


def test_turns_are_granted_in_order_of_arrival(pool: ThreadPoolExecutor) -> None:
    queue = Queue(ForwardQueue(1), pool)
    for name in "abc":
        queue.wait(name)
    queue.release()
    with queue.passes.turn():  # free again
        queue.order.append("again")
    assert queue.order == ["a", "b", "c", "again"]


def test_a_sentence_overtakes_a_token(pool: ThreadPoolExecutor) -> None:
    queue = Queue(ForwardQueue(1), pool)
    for name, kind in (("l", "long"), ("t", "token"), ("s", "sentence")):
        queue.wait(name, kind)
    queue.release()
    assert queue.order == ["s", "t", "l"]


def test_a_request_that_has_waited_long_is_not_overtaken(pool, monkeypatch) -> None:
    monkeypatch.setitem(module.PRIORITY_DELAY, "token", -1.0)  # two seconds earlier
    queue = Queue(ForwardQueue(1), pool)
    queue.wait("s")
    queue.wait("t", "token")
    queue.release()
    assert queue.order == ["t", "s"]


def test_long_requests_leave_one_slot_to_others() -> None:
    passes, taken = ForwardQueue(2), threading.Event()

    def take(kind: Kind) -> None:
        with passes.turn(kind):
            taken.set()

    with passes.turn("long"):
        second = threading.Thread(target=take, args=("long",))
        second.start()
        until(lambda: len(passes._waiting) == 1)
        assert not taken.is_set()
        with passes.turn():  # granted immediately, before the waiting long request
            assert not passes.has_free_slots()
    second.join(10)
    assert taken.is_set() and passes.has_free_slots(2) and not passes.has_free_slots(3)


def test_a_long_request_can_use_the_only_slot() -> None:
    with ForwardQueue(1).turn("long"):
        pass


def test_a_full_queue_refuses_and_keeps_the_other_requests(pool: ThreadPoolExecutor) -> None:
    queue = Queue(ForwardQueue(1, max_waiting=2), pool)
    queue.wait("a")
    queue.wait("b")
    with pytest.raises(BusyError, match="2 computations are waiting"), queue.passes.turn():
        pass
    queue.release()
    assert queue.order == ["a", "b"]


def test_a_waiting_thread_is_notified_and_times_out_with_a_message(pool, monkeypatch) -> None:
    monkeypatch.setattr(module, "NOTIFY_AFTER", 0.01)
    queue = Queue(ForwardQueue(1, timeout=0.2), pool)
    queue.passes.timeout = 10
    queue.wait("a")
    queue.passes.timeout = 0.2
    positions: list[int | None] = []
    refused = pytest.raises(BusyError, match=r"within 0\.2 seconds")
    with notify_waiters(positions.append), refused, queue.passes.turn():
        pass
    assert set(positions) == {1}
    queue.release()
    assert queue.passes.has_free_slots() and queue.order == ["a"]


def test_a_late_turn_ends_the_notifications(monkeypatch) -> None:
    monkeypatch.setattr(module, "NOTIFY_AFTER", 0.01)
    passes, positions, go_on = ForwardQueue(1), list[int | None](), threading.Event()

    def hold() -> None:
        with passes.turn():
            go_on.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    until(lambda: not passes.has_free_slots())

    def tell(before: int | None) -> None:
        positions.append(before)
        go_on.set()

    with notify_waiters(tell), passes.turn():
        assert positions[0] == 0 and positions[-1] is None
    holder.join(10)


@pytest.mark.parametrize("turn_has_come", [False, True])
def test_an_interrupted_wait_releases_its_turn(monkeypatch, turn_has_come) -> None:
    class Left(BaseException):
        pass

    monkeypatch.setattr(module, "NOTIFY_AFTER", 0.01)
    passes = ForwardQueue(1)

    def leave(_before: int | None) -> None:
        if turn_has_come:
            first.close()
        raise Left

    first = ExitStack()
    first.enter_context(passes.turn())
    with notify_waiters(leave), pytest.raises(Left), passes.turn():
        pass
    first.close()
    assert passes.has_free_slots(1)


def test_visitors_take_turns(pool: ThreadPoolExecutor) -> None:
    """One client sends many requests; another has sent one, later."""
    queue = Queue(ForwardQueue(1), pool)
    for name in ("a1", "a2", "a3"):
        queue.wait(name, visitor=("attacker", "1"))
    queue.wait("b1", visitor=("victim", "1"))
    queue.wait("b2", visitor=("victim", "1"))
    queue.release()
    assert queue.order == ["a1", "b1", "a2", "b2", "a3"]


def test_many_sessions_of_one_network_have_one_share(pool: ThreadPoolExecutor) -> None:
    queue = Queue(ForwardQueue(1), pool)
    for session in "123":
        queue.wait(f"a{session}", visitor=("attacker", session))
    queue.wait("b1", visitor=("victim", "1"))
    queue.wait("b2", visitor=("victim", "2"))
    queue.release()
    assert queue.order == ["a1", "b1", "a2", "b2", "a3"]


def test_sessions_of_one_network_take_turns(pool: ThreadPoolExecutor) -> None:
    queue = Queue(ForwardQueue(1), pool)
    for name in ("a1", "a2", "a3"):
        queue.wait(name, visitor=("school", "busy"))
    queue.wait("b", visitor=("school", "quiet"))
    queue.release()
    assert queue.order == ["a1", "b", "a2", "a3"]


def test_a_sentence_overtakes_tokens_of_other_visitors(pool: ThreadPoolExecutor) -> None:
    queue = Queue(ForwardQueue(1), pool)
    queue.wait("t1", "token", visitor=("one", ""))
    queue.wait("t2", "token", visitor=("two", ""))
    queue.wait("s", visitor=("three", ""))
    queue.release()
    assert queue.order == ["s", "t1", "t2"]


def test_a_notified_position_counts_the_turns_of_other_visitors(pool, monkeypatch) -> None:
    monkeypatch.setattr(module, "NOTIFY_AFTER", 0.01)
    queue = Queue(ForwardQueue(1), pool)
    for name in "abc":
        queue.wait(name, visitor=("attacker", ""))
    positions: list[int | None] = []
    queue.passes.timeout = 0.1
    refused = pytest.raises(BusyError)
    with notify_waiters(positions.append), turns_of(("victim", "")), refused, queue.passes.turn():
        pass
    assert set(positions) == {1}
    queue.release()


def test_a_full_queue_accepts_a_visitor_of_another_network(pool: ThreadPoolExecutor) -> None:
    queue = Queue(ForwardQueue(1, max_waiting=2), pool)
    queue.wait("a1", visitor=("attacker", "1"))
    queue.wait("a2", visitor=("attacker", "2"))
    queue.wait("b", visitor=("victim", ""))
    for network in ("attacker", "victim"):
        with turns_of((network, "3")), pytest.raises(BusyError), queue.passes.turn():
            pass
    queue.release()
    assert queue.order == ["a1", "b", "a2"]
