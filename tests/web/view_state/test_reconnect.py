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


@pytest.fixture
def before() -> AppTest:
    return open_page(text="hello there", layer="2", head="5", left="minilm")


def test_the_new_session_shows_the_view_of_the_query_string(before: AppTest) -> None:
    after = reconnect(before)
    assert not after.exception
    assert address(after) == address(before)
    assert after.text_input(key="text").value == "hello there"
    assert (after.session_state["layer"], after.session_state["head"]) == (2, 5)


def test_a_typed_sentence_wins_over_the_query_string(before: AppTest) -> None:
    before.text_input(key="text").set_value(CAT)
    before.session_state["picked"] = [1]
    after = reconnect(before)
    assert not after.exception
    assert address(after) == {**address(before), "text": CAT}
    assert after.text_input(key="text").value == CAT
    assert after.run().text_input(key="text").value == CAT


def test_a_toggle_wins_over_the_query_string(before: AppTest) -> None:
    before.toggle(key="words").set_value(True)
    after = reconnect(before)
    assert after.session_state["words"] is True
    assert address(after) == {**address(before), "words": "1"}


def test_an_example_is_taken_once(before: AppTest) -> None:
    before.button_group(key="example").set_value("tired")
    after = reconnect(before)
    assert after.text_input(key="text").value == DEFAULT_TEXT
    assert after.session_state["example"] is None
    assert address(after) == {**address(before), "text": DEFAULT_TEXT}


def test_a_first_visit_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bool] = []
    monkeypatch.setattr(warmup.finished, "is_set", lambda: drawn.append(True) or True)
    assert not open_page(text="hello there").exception
    assert len(drawn) == 1
