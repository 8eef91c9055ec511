"""A page that gets no turn at the cores says so, and may ask again; so does a part of one."""

from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from model.passes import BusyError
from pages.heads import links
from pages.lessons.questions import KeyQuestion
from pages.shared import captures
from pages.shared.once import Shared
from pages.shared.turns import part, passes
from tests.pages.conftest import first_visit

BUSY = BusyError("The server is busy: {count} others wait.", count=7)


def refusals(page: AppTest) -> list[str]:
    assert not page.exception
    return [warning.value for warning in page.warning if "The server is busy" in warning.value]


def test_a_page_that_is_refused_says_so_in_words_and_asks_again(monkeypatch) -> None:
    page = first_visit("").run()
    monkeypatch.setattr(passes, "most_waiting", -1)  # none, not even for a free turn
    page.text_input(key="text").set_value("nobody has asked for these words").run()
    assert len(refusals(page)) == 1
    monkeypatch.undo()
    page.button(key="try_explored_again").click().run()
    assert not page.exception and not page.warning
    assert captures.read.kept.cache_key("minilm", "nobody has asked for these words", None) in (
        captures.read.kept.cache
    )


def test_a_part_that_is_refused_says_so_in_its_place_and_the_rest_of_the_page_stands() -> None:
    page = AppTest.from_function(_page).run()
    assert len(refusals(page)) == 1
    told = [element.type for element in page.main]
    assert told[-5:] == ["empty", "markdown", "warning", "button", "markdown"]
    page.session_state["free"] = True
    page.button(key="try_answer_again").click().run()
    assert refusals(page) == []
    assert [each.value for each in page.markdown] == ["asked", "how", "the answer", "below"]


def _page() -> None:
    import streamlit as st

    from tests.pages.test_turns import answer

    st.write("asked")
    answer()
    st.write("below")


@part("answer")
def answer() -> None:
    st.write("how")
    if "free" not in st.session_state:
        raise BUSY
    st.write("the answer")


@pytest.mark.parametrize(
    ("name", "chosen", "answer", "key"),
    [
        ("layers", "lens", captures.lensed, "try_depth_again"),
        ("layers", "stream", captures.streamed, "try_depth_again"),
        ("decoder", "masks", captures.masked, "try_masks_again"),
    ],
)
def test_a_part_that_says_what_is_wrong_in_place_of_its_answer_may_be_asked_again_too(
    name: str, chosen: str, answer: Shared, key: str, monkeypatch
) -> None:
    page = first_visit(name)
    page.query_params["part"] = chosen
    page.run()
    answer.kept.cache.clear()
    monkeypatch.setattr(passes, "most_waiting", -1)
    page.run()
    assert len(refusals(page)) == 1 and not page.error and not page.info
    monkeypatch.undo()
    page.button(key=key).click().run()
    assert refusals(page) == [] and answer.kept.cache.currsize > 0


def test_an_answer_to_a_lessons_question_that_is_refused_is_no_wrong_try(monkeypatch) -> None:
    page = first_visit("")
    page.query_params["lesson"] = "one-query"
    page.run()
    page.session_state["lesson_act"] = {"place": "one-query", "do": "answer", "answer": "dog"}
    judged = KeyQuestion.judge
    monkeypatch.setattr(KeyQuestion, "judge", busy)
    page.run()
    assert len(refusals(page)) == 1
    monkeypatch.setattr(KeyQuestion, "judge", judged)
    assert "lesson_verdicts" not in page.session_state
    page.button(key="try_lesson_again").click().run()
    assert refusals(page) == []
    assert page.session_state["lesson_verdicts"]["one-query"]["answer"] == "dog"
    page.run()
    assert page.session_state["lesson_tries"]["one-query"] <= 1  # judged once


def busy(*about: object) -> None:
    raise BUSY


def test_a_callback_that_is_refused_ends_there_and_the_page_says_so(monkeypatch) -> None:
    found, asked = links._found, []

    def busy_at_first(*what: Any) -> Any:
        asked.append(what)
        if len(asked) == 1:
            raise BUSY
        return found(*what)

    page = first_visit("heads")
    page.query_params.update({"part": "links", "query": "2"})
    page.run()
    monkeypatch.setattr(links, "_found", busy_at_first)
    page.button_group(key="link_key").set_value([3]).run()
    assert len(refusals(page)) == 1
    assert len(asked) == 2  # the ranking is drawn
    page.run()
    assert refusals(page) == []
