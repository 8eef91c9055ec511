"""Order, limits and notifications of the queue."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from web.inference import forward_queue as module
from web.inference.forward_queue import BusyError, ForwardQueue, turns_of


def until(holds: Callable[[], bool]) -> None:
    for _ in range(2000):
        if holds():
            return
        time.sleep(0.005)
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

    def wait(self, name: str, address: str = "", heavy: bool = False) -> None:
        def take() -> None:
            with turns_of(address), self.passes.turn(heavy):
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
    with ThreadPoolExecutor(6) as pool:
        yield pool


def test_turns_are_granted_in_order_of_arrival_light_requests_first(
    pool: ThreadPoolExecutor,
) -> None:
    queue = Queue(ForwardQueue(1), pool)
    for name in ("heavy", "a", "b", "c"):
        queue.wait(name, address=name, heavy=name == "heavy")
    queue.release()
    with queue.passes.turn(heavy=True):  # free again, and a heavy request can use the only slot
        pass
    assert queue.order == ["a", "b", "c", "heavy"]


def test_heavy_requests_leave_one_slot_to_others(pool: ThreadPoolExecutor) -> None:
    passes, taken = ForwardQueue(2), threading.Event()

    def take() -> None:
        with passes.turn(heavy=True):
            taken.set()

    with passes.turn(heavy=True):
        second = pool.submit(take)
        until(lambda: len(passes._waiting) == 1)
        assert not taken.is_set()
        with passes.turn():  # granted immediately, before the waiting heavy request
            assert len(passes._running) == 2
    second.result(10)
    assert not passes._running


def test_a_full_queue_and_an_address_with_three_quarters_of_it_are_refused(
    pool: ThreadPoolExecutor,
) -> None:
    queue = Queue(ForwardQueue(1, max_waiting=4), pool)
    for name in ("a1", "a2", "a3"):
        queue.wait(name, address="attacker")
    with turns_of("attacker"), pytest.raises(BusyError), queue.passes.turn():
        pass
    queue.wait("b", address="victim")
    with turns_of("third"), pytest.raises(BusyError), queue.passes.turn():
        pass
    queue.release()
    assert queue.order == ["a1", "a2", "a3", "b"]


def test_a_waiting_thread_is_notified_until_its_turn_or_refusal(pool, monkeypatch) -> None:
    monkeypatch.setattr(module, "NOTIFY_AFTER", 0.01)
    queue = Queue(ForwardQueue(1, timeout=10), pool)
    queue.wait("a")
    queue.wait("b")
    queue.passes.timeout = 0.2
    positions: list[int | None] = []
    with turns_of("", positions.append), pytest.raises(BusyError), queue.passes.turn():
        pass
    assert set(positions) == {2}
    queue.passes.timeout = 10

    def release(before: int | None) -> None:
        positions.append(before)
        queue.release()

    with turns_of("", release), queue.passes.turn():
        assert positions[-1] is None
    assert not queue.passes._running and queue.order == ["a", "b"]


@pytest.mark.parametrize("turn_has_come", [False, True])
def test_an_interrupted_wait_releases_its_turn(pool, monkeypatch, turn_has_come) -> None:
    class Left(BaseException):
        pass

    def leave(_before: int | None) -> None:
        if turn_has_come:
            queue.release()
        raise Left

    monkeypatch.setattr(module, "NOTIFY_AFTER", 0.01)
    queue = Queue(ForwardQueue(1), pool)
    with turns_of("", leave), pytest.raises(Left), queue.passes.turn():
        pass
    queue.release()
    assert not queue.passes._running
