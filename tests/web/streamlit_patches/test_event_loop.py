"""Wake-ups of the event loop by other threads."""

import asyncio
import threading

import pytest
from uvicorn.config import LOOP_FACTORIES

from web.streamlit_patches import event_loop
from web.streamlit_patches.event_loop import CoalescingEventLoop

SAID = 3000


def test_calls_of_two_threads_run_in_order_with_few_wake_ups() -> None:
    loop, heard = CoalescingEventLoop(), list[tuple[int, int]]()
    written, write = 0, loop._csock.send

    class Counted:
        def send(self, data: bytes) -> int:
            nonlocal written
            written += 1
            return write(data)

        def close(self) -> None:
            counted.close()

    counted = loop._csock
    loop._csock = Counted()
    done = threading.Barrier(3)

    def say(who: int) -> None:
        for number in range(SAID):
            loop.call_soon_threadsafe(heard.append, (who, number))
        done.wait(10)

    async def listen() -> None:
        for who in range(2):
            threading.Thread(target=say, args=(who,)).start()
        await asyncio.get_running_loop().run_in_executor(None, done.wait, 10)

    try:
        loop.run_until_complete(asyncio.wait_for(listen(), 20))
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
    for who in range(2):
        assert [number for each, number in heard if each == who] == list(range(SAID))
    assert 0 < written < SAID


def test_a_call_wakes_a_sleeping_loop() -> None:
    loop, answers = CoalescingEventLoop(), list[float]()

    async def listen() -> None:
        for _ in range(50):
            heard = asyncio.Event()
            speak = threading.Timer(0.001, loop.call_soon_threadsafe, (heard.set,))
            speak.start()
            await asyncio.wait_for(heard.wait(), 5)
            answers.append(loop.time())

    loop.run_until_complete(listen())
    loop.close()
    assert len(answers) == 50


@pytest.mark.parametrize(("platform", "replaced"), [("linux", True), ("win32", False)])
def test_the_selector_of_windows_with_its_512_sockets_is_not_used(
    platform: str, replaced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LOOP_FACTORIES, "auto", "uvicorn's own")
    monkeypatch.setattr(event_loop.sys, "platform", platform)
    event_loop.install()
    assert (LOOP_FACTORIES["auto"] != "uvicorn's own") == replaced
