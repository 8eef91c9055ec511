"""A browser that outlives its session sends the values of all its widgets to a new one."""

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import ROUTER
from tests.pages.figures import address
from tests.pages.test_explore import open_page
from web.view_state.parameters import DEFAULT_TEXT

CAT = "The cat sat on the mat."


def reconnect(before: AppTest) -> AppTest:
    """Start a session whose first message contains the widget values of another one."""
    page = AppTest.from_file(str(ROUTER), default_timeout=60)
    page.query_params.update(before.query_params)
    return page._run(before._tree.get_widget_states())


def before() -> AppTest:
    return open_page(text="hello there", layer="2", head="5", left="minilm")


def test_the_new_session_shows_the_view_of_the_query_string_and_edits_win_over_it() -> None:
    after = reconnect(first := before())
    assert not after.exception
    assert address(after) == address(first)
    assert (after.session_state["layer"], after.session_state["head"]) == (2, 5)
    first.text_input(key="text").set_value(CAT)
    first.toggle(key="words").set_value(True)
    after = reconnect(first)
    assert address(after) == {**address(first), "text": CAT, "words": "1"}
    assert after.session_state["words"] is True
    assert after.run().text_input(key="text").value == CAT


def test_an_example_is_taken_once() -> None:
    first = before()
    first.button_group(key="example").set_value("tired")
    after = reconnect(first)
    assert after.session_state["example"] is None
    assert address(after) == {**address(first), "text": DEFAULT_TEXT}
