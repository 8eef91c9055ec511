"""What takes a turn; warnings and retries of refused pages, fragments and callbacks."""

from collections import defaultdict
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lessons.questions import KeyQuestion
from pages.heads import links
from tests.pages.visit import Visit
from web.cache import captures, loaded_models
from web.inference import operations
from web.inference.forward_queue import BusyError
from web.inference.operations import forward_queue, is_long
from web.widgets import capture_view, head_difference

BUSY = BusyError("The server is busy.")


def refusals(page: AppTest) -> list[str]:
    assert not page.exception
    return [warning.value for warning in page.warning if "The server is busy" in warning.value]


HEAVY: list[tuple[Any, str]] = [(captures, name) for name in ("intervene", "profile", "by_layer")]
HEAVY += [(head_difference, "head_changes"), (capture_view, "subject_part")]


def test_long_passes_and_work_on_large_arrays_take_turns_of_the_heavy_lane(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoder, encoder = map(loaded_models.loaded_model, ("smollm2", "minilm"))
    assert is_long(decoder, 400 * "word ") and not is_long(encoder, 400 * "word ")
    assert not is_long(decoder, 20 * "word ", None)
    held = defaultdict[str, set[bool]](set)

    def watched(name: str, work: Any, *args: Any, **more: Any) -> Any:
        held[name].add(any(each.heavy for each in forward_queue._running))
        return work(*args, **more)

    for owner, name in HEAVY:
        monkeypatch.setattr(owner, name, partial(watched, name, getattr(owner, name)))
    monkeypatch.setattr(operations, "LONG", 0)
    monkeypatch.setattr(operations, "LARGE", 0)
    page = Visit("heads")
    page.query_params.update(part="change", off="0-1", text="A heavy cat", words="1")
    page.run()
    for name, part in (("layers", {"kind": "rollout"}), ("heads", {"part": "labels"})):
        page.go(name, text="A heavy cat", special="hide", **part)
        assert not page.exception and not page.warning
    assert held == {name: {True} for _, name in HEAVY}


def test_a_refused_page_shows_a_warning_and_can_retry(monkeypatch) -> None:
    page = Visit("").run()
    monkeypatch.setattr(forward_queue, "max_waiting", -1)  # refuses everything
    page.text_input(key="text").set_value("nobody has asked for these words").run()
    assert len(refusals(page)) == 1
    monkeypatch.undo()
    page.button(key="try_explored_again").click().run()
    assert not page.exception and not page.warning


def test_a_refused_fragment_with_its_own_error_handling_can_retry(monkeypatch) -> None:
    page, answer = Visit("decoder"), captures.masked_run
    page.query_params["part"] = "masks"
    page.run()
    answer.cached.cache.clear()
    monkeypatch.setattr(forward_queue, "max_waiting", -1)
    page.run()
    assert len(refusals(page)) == 1 and not page.error and not page.info
    assert page.selectbox(key="mask_kind").value  # the other elements stay
    monkeypatch.undo()
    page.button(key="try_masks_again").click().run()
    assert refusals(page) == [] and answer.cached.cache.currsize > 0


def test_a_refused_lesson_answer_is_not_a_wrong_try(monkeypatch) -> None:
    page = Visit("")
    page.query_params["lesson"] = "one-query"
    page.run()
    page.session_state["lesson_act"] = {"place": "one-query", "do": "answer", "answer": "dog"}

    def busy(*about: object) -> None:
        raise BUSY

    with monkeypatch.context() as patched:
        patched.setattr(KeyQuestion, "judge", busy)
        page.run()
    assert len(refusals(page)) == 1
    assert "lesson_verdicts" not in page.session_state
    page.button(key="try_lesson_again").click().run()
    assert refusals(page) == []
    assert page.session_state["lesson_verdicts"]["one-query"]["answer"] == "dog"
    page.run()
    assert page.session_state["lesson_tries"]["one-query"] <= 1  # judged once


def test_a_refused_callback_is_reported_on_the_page(monkeypatch) -> None:
    found, calls = links._strongest_links, []

    def busy_at_first(*what: Any) -> Any:
        calls.append(what)
        if len(calls) == 1:
            raise BUSY
        return found(*what)

    page = Visit("heads")
    page.query_params.update({"part": "links", "query": "2"})
    page.run()
    monkeypatch.setattr(links, "_strongest_links", busy_at_first)
    page.multiselect(key="link_key").set_value([3]).run()
    assert len(calls) == 2  # the ranking is drawn, in a run of its fragment
    assert len(refusals(page)) == 1
    assert refusals(page.run()) == []
