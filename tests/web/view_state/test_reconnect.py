"""A browser that outlives its session sends the values of all its widgets to a new one."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import ROUTER
from tests.pages.figures import address
from tests.pages.test_explore import open_page
from web.server import warmup
from web.view_state.parameters import DEFAULT_TEXT

CAT = "The cat sat on the mat."


def reconnect(before: AppTest) -> AppTest:
    """Start a session whose first message contains the widget values of another one."""
    page = AppTest.from_file(str(ROUTER), default_timeout=60)
    page.query_params.update(before.query_params)
    return page._run(before._tree.get_widget_states())


def before() -> AppTest:
    return open_page(text="hello there", layer="2", head="5", left="minilm")


def test_the_new_session_shows_the_view_of_the_query_string() -> None:
    after = reconnect(first := before())
    assert not after.exception
    assert address(after) == address(first)
    assert after.text_input(key="text").value == "hello there"
    assert (after.session_state["layer"], after.session_state["head"]) == (2, 5)


def test_edits_win_over_the_query_string() -> None:
    first = before()
    first.text_input(key="text").set_value(CAT)
    first.toggle(key="words").set_value(True)
    first.session_state["picked"] = [1]
    after = reconnect(first)
    assert not after.exception
    assert address(after) == {**address(first), "text": CAT, "words": "1"}
    assert after.session_state["words"] is True
    assert after.text_input(key="text").value == CAT
    assert after.run().text_input(key="text").value == CAT


def test_an_example_is_taken_once() -> None:
    first = before()
    first.button_group(key="example").set_value("tired")
    after = reconnect(first)
    assert after.text_input(key="text").value == DEFAULT_TEXT
    assert after.session_state["example"] is None
    assert address(after) == {**address(first), "text": DEFAULT_TEXT}


def test_a_first_visit_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bool] = []
    monkeypatch.setattr(warmup.finished, "is_set", lambda: drawn.append(True) or True)
    assert not open_page(text="hello there").exception
    assert len(drawn) == 1
