"""Other machines are asked: their numbers are ours, and what goes wrong is said in words."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from starlette.requests import Request

from inference import wire, work
from inference.elsewhere import FULL, Elsewhere
from inference.replica import Models
from model import HeadlightError, load_model
from model.passes import BusyError, Passes
from pages.shared import captures, settings, turns
from tests.inference.conftest import Answered, answering
from tests.pages.conftest import first_visit


class Machine:
    """A replica, and what it was asked."""

    def __init__(self) -> None:
        self.models, self.asked = Models(("no/such-model",)), 0

    def answered(self, question: bytes) -> tuple[int, bytes]:
        self.asked += 1

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": question}

        request = Request({"type": "http", "headers": []}, receive)
        response = asyncio.run(self.models(request))
        return response.status_code, bytes(response.body)


@pytest.fixture(scope="module")
def machine_with_models() -> Machine:
    return Machine()


@pytest.fixture
def elsewhere(machine_with_models: Machine, monkeypatch) -> Iterator[str]:
    """A replica, and this process asks it."""
    with answering(machine_with_models.answered) as address:
        monkeypatch.setattr(settings, "_settings", settings.Settings(inference=address))
        yield address


def test_captures_are_the_models_own_and_no_turn_is_taken_here(
    elsewhere: str, machine_with_models: Machine, monkeypatch
) -> None:
    monkeypatch.setattr(turns, "passes", Passes(1, most_waiting=-1))  # it would be refused
    asked = machine_with_models.asked
    for name in ("scratch", "minilm"):
        found = captures.capture(name, "Whoever computes it", "gets the same.")
        own = load_model(name).attend("Whoever computes it", "gets the same.")
        assert found.tokens == own.tokens and found.offsets == own.offsets
        assert np.array_equal(found.weights, own.weights)
        for ours, theirs in zip((*found.q, *found.k, *found.v), (*own.q, *own.k, *own.v)):  # noqa: B905
            assert np.array_equal(ours, theirs)
        assert found.nbytes == own.nbytes and not found.weights.flags.writeable
    assert machine_with_models.asked == asked + 2


def test_what_is_wrong_is_said_there_in_the_words_of_here(elsewhere: str) -> None:
    there = Elsewhere(elsewhere)
    with pytest.raises(HeadlightError) as here:
        work.decide(load_model("scratch"), "Who?", None)
    with pytest.raises(HeadlightError) as said:
        there.ask("decide", "scratch", "Who?", None)
    assert (said.value.message, said.value.values) == (here.value.message, here.value.values)
    with pytest.raises(HeadlightError, match=r"do not have /etc/\{0\}"):
        there.ask("read", "/etc/{0}", "Who?", None)
    with pytest.raises(HeadlightError, match="no/such-model"):  # allowed, and looked for
        there.ask("read", "no/such-model", "Who?", None)


def test_a_replica_does_nothing_but_its_work(machine_with_models: Machine) -> None:
    for question in (b"", wire.packed(("eval", "scratch", "1")), wire.packed(((), {}))):
        assert machine_with_models.answered(question)[0] == 400


def answer(status: int, body: bytes = b"") -> Answered:
    return lambda _question: (status, body)


@pytest.mark.parametrize(
    ("answered", "said"),
    [
        (answer(FULL), "as many wait for them as may"),
        (answer(503, b"Deployment unavailable"), "Nothing is lost"),
        (answer(200, b"<html>another server"), "Nothing is lost"),
        (answer(302), "Nothing is lost"),
    ],
)
def test_busy_and_away_are_words(machine, answered: Answered, said: str) -> None:
    with pytest.raises(BusyError, match=said):
        Elsewhere(machine(answered)).ask("read", "scratch", "Anybody?", None)


def test_nobody_there_and_nobody_in_time_are_words(machine) -> None:
    with answering(answer(200)) as gone:
        pass
    with pytest.raises(BusyError, match="do not answer"):
        Elsewhere(gone).ask("read", "scratch", "Anybody?", None)
    enough = threading.Event()
    slow = machine(lambda _question: (enough.wait(9), (200, b""))[1])
    with pytest.raises(BusyError, match=r"after 0\.1 seconds"):
        Elsewhere(slow, patience=0.1).ask("read", "scratch", "Anybody?", None)
    enough.set()


def test_many_ask_at_once_and_each_gets_its_own_answer(elsewhere: str) -> None:
    there = Elsewhere(elsewhere)
    texts = [" ".join(["word"] * count) for count in range(1, 13)]
    with ThreadPoolExecutor(12) as askers:
        found = askers.map(lambda text: there.ask("read", "scratch", text, None)[0], texts)
    assert [(each.text, len(each.tokens)) for each in found] == [
        (text, count) for count, text in enumerate(texts, start=3)
    ]


def test_a_page_says_that_they_are_away_and_goes_on_when_they_are_back(
    machine_with_models: Machine, monkeypatch
) -> None:
    with answering(machine_with_models.answered) as address:
        monkeypatch.setattr(settings, "_settings", settings.Settings(inference=address))
        page = first_visit("").run()
    page.text_input(key="text").set_value("typed while they were away").run()
    assert not page.exception
    assert "do not answer" in page.warning[0].value
    with answering(machine_with_models.answered) as address:
        monkeypatch.setattr(settings, "_settings", settings.Settings(inference=address))
        page.button(key="try_explored_again").click().run()
    assert not page.exception and not page.warning
    assert page.text_input(key="text").value == "typed while they were away"


def test_an_address_is_one_of_the_web() -> None:
    assert settings.of_command_line(["--inference", "http://ray:8000"]).inference
    with pytest.raises(SystemExit):
        settings.of_command_line(["--inference", "ray://head:10001"])
