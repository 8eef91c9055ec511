"""A page that gets no turn at the cores says so, and may ask again; so does a part of one."""

from typing import Any

import streamlit as st
from streamlit.testing.v1 import AppTest

from model.passes import BusyError
from pages.heads import links
from pages.shared import captures
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
