"""Operations on a replica: equal numbers, and errors with a message."""

import asyncio
import math
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from starlette.requests import Request

from model import HeadlightError, load_model
from tests.pages.conftest import first_visit
from tests.web.inference.conftest import Answered, answering
from web import settings
from web.cache import captures
from web.inference import operations, replica, wire_format
from web.inference.forward_queue import BusyError, ForwardQueue
from web.inference.remote_client import TOO_MANY_REQUESTS, RemoteClient
from web.inference.replica import Replica


class Machine:
    """A replica, and the number of its requests."""

    def __init__(self) -> None:
        self.models, self.n_requests = Replica(("no/such-model",)), 0

    def answered(self, question: bytes) -> tuple[int, bytes]:
        self.n_requests += 1

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": question}

        request = Request({"type": "http", "headers": []}, receive)
        response = asyncio.run(self.models(request))
        return response.status_code, bytes(response.body)


@pytest.fixture(scope="module")
def machine_with_models() -> Machine:
    return Machine()


@pytest.fixture
def replica_url(machine_with_models: Machine, monkeypatch) -> Iterator[str]:
    """URL of a replica that this process uses."""
    with answering(machine_with_models.answered) as address:
        monkeypatch.setattr(settings, "_settings", settings.Settings(inference=address))
        yield address


def test_remote_captures_equal_local_ones_and_take_no_local_turn(
    replica_url: str, machine_with_models: Machine, monkeypatch
) -> None:
    monkeypatch.setattr(operations, "forward_queue", ForwardQueue(1, max_waiting=-1))
    n_requests = machine_with_models.n_requests
    for name in ("scratch", "minilm"):
        found = captures.capture(name, "Whoever computes it", "gets the same.")
        own = load_model(name).attend("Whoever computes it", "gets the same.")
        assert found.tokens == own.tokens and found.offsets == own.offsets
        assert np.array_equal(found.weights, own.weights)
        for ours, theirs in zip((*found.q, *found.k, *found.v), (*own.q, *own.k, *own.v)):  # noqa: B905
            assert np.array_equal(ours, theirs)
        assert found.nbytes == own.nbytes and not found.weights.flags.writeable
    assert machine_with_models.n_requests == n_requests + 2


def test_remote_errors_have_the_local_messages(replica_url: str) -> None:
    there = RemoteClient(replica_url)
    with pytest.raises(HeadlightError) as here:
        operations.decide(load_model("scratch"), "Who?", None)
    with pytest.raises(HeadlightError) as message:
        there.call("decide", "scratch", "Who?", None)
    assert (message.value.message, message.value.values) == (here.value.message, here.value.values)
    with pytest.raises(HeadlightError, match=r"do not have /etc/\{0\}"):
        there.call("read", "/etc/{0}", "Who?", None)
    with pytest.raises(HeadlightError, match="no/such-model"):  # allowed, and looked for
        there.call("read", "no/such-model", "Who?", None)


def test_a_replica_executes_listed_operations_only(machine_with_models: Machine) -> None:
    for question in (
        b"",
        wire_format.pack(("eval", "scratch", "1")),
        wire_format.pack(((), {})),
    ):
        assert machine_with_models.answered(question)[0] == 400


@pytest.mark.parametrize(
    "request_",
    [
        ("lens", "scratch", "Two dogs.", None, 0, 10**9),
        ("lens", "scratch", "Two dogs.", None, -(10**9), 1),
        ("mask", "scratch", "Two dogs.", 5, 10**9, None, None),
        ("translate", "dates", "3 May 1999", ((10**9, "0"),), {"beams": 2}),
        ("translate", "dates", "3 May 1999", (), {"max_new_tokens": 10**9}),
        ("lens", "scratch", "Two dogs.", None, 0, 1e9),
        ("lens", "scratch", "Two dogs.", None, 0, 10**400),
        ("translate", "dates", "3 May 1999", (), {"temperature": math.nan}),
        ("translate", "dates", "3 May 1999", (), {"top_p": -math.inf}),
    ],
)
def test_a_replica_refuses_absurd_sizes_before_it_computes(
    request_: tuple[object, ...], machine_with_models: Machine, monkeypatch
) -> None:
    monkeypatch.setattr(machine_with_models.models, "_execute", pytest.fail)
    assert machine_with_models.answered(wire_format.pack(request_))[0] == 400


@pytest.mark.parametrize(("first", "count"), [(0, 99_999), (0, 2.0), (99_999, 1)])
def test_a_replica_refuses_sizes_that_do_not_fit_the_text(
    first: int, count: float, machine_with_models: Machine
) -> None:
    request = ("lens", "scratch", "Two dogs.", None, first, count)
    assert machine_with_models.answered(wire_format.pack(request))[0] == 400


def test_a_replica_refuses_a_large_request_and_accepts_a_large_seed(
    machine_with_models: Machine, monkeypatch
) -> None:
    monkeypatch.setattr(replica, "MAX_REQUEST_BYTES", 1_000)
    seeded = ("translate", "dates", "3 May 1999", (), {"seed": 2**60})
    assert machine_with_models.answered(wire_format.pack(seeded))[0] == 200
    long = ("read", "scratch", "x" * 1_000, None)
    assert machine_with_models.answered(wire_format.pack(long))[0] == 413


def answer(status: int, body: bytes = b"") -> Answered:
    return lambda _question: (status, body)


@pytest.mark.parametrize(
    ("answered", "message"),
    [
        (answer(TOO_MANY_REQUESTS), "models are busy"),
        (answer(503, b"Deployment unavailable"), "Your text is not lost"),
        (answer(200, b"<html>another server"), "Your text is not lost"),
        (answer(302), "Your text is not lost"),
    ],
)
def test_busy_and_failing_servers_raise_busy_error(
    machine, answered: Answered, message: str
) -> None:
    with pytest.raises(BusyError, match=message):
        RemoteClient(machine(answered)).call("read", "scratch", "Anybody?", None)


def test_missing_and_slow_servers_raise_busy_error(machine) -> None:
    with answering(answer(200)) as gone:
        pass
    with pytest.raises(BusyError, match="do not respond"):
        RemoteClient(gone).call("read", "scratch", "Anybody?", None)
    enough = threading.Event()
    slow = machine(lambda _question: (enough.wait(9), (200, b""))[1])
    with pytest.raises(BusyError, match=r"within 0\.1 seconds"):
        RemoteClient(slow, timeout=0.1).call("read", "scratch", "Anybody?", None)
    enough.set()


def test_concurrent_calls_get_their_own_results(replica_url: str) -> None:
    there = RemoteClient(replica_url)
    texts = [" ".join(["word"] * count) for count in range(1, 13)]
    with ThreadPoolExecutor(12) as askers:
        found = askers.map(lambda text: there.call("read", "scratch", text, None)[0], texts)
    assert [(each.text, len(each.tokens)) for each in found] == [
        (text, count) for count, text in enumerate(texts, start=3)
    ]


def test_a_page_reports_a_missing_server_and_can_retry(
    machine_with_models: Machine, monkeypatch
) -> None:
    with answering(machine_with_models.answered) as address:
        monkeypatch.setattr(settings, "_settings", settings.Settings(inference=address))
        page = first_visit("").run()
    page.text_input(key="text").set_value("typed while they were away").run()
    assert not page.exception
    assert "do not respond" in page.warning[0].value
    with answering(machine_with_models.answered) as address:
        monkeypatch.setattr(settings, "_settings", settings.Settings(inference=address))
        page.button(key="try_explored_again").click().run()
    assert not page.exception and not page.warning
    assert page.text_input(key="text").value == "typed while they were away"


def test_the_server_address_must_be_a_url() -> None:
    assert settings.of_command_line(["--inference", "http://ray:8000"]).inference
    with pytest.raises(SystemExit):
        settings.of_command_line(["--inference", "ray://head:10001"])
