"""Boxes that say what they showed before: of a browser that has not drawn its answer yet."""

import pytest
from streamlit.testing.v1 import AppTest

from web.view_state.address import only  # before conftest.py puts another in its place


def page() -> None:
    """A sentence and two boxes, which a button sets as a click on a head does."""
    import streamlit as st

    from web.view_state import address, overtaken
    from web.view_state.address import Parameter

    parameters = {
        "text": Parameter("It was too late.", str, always=True),
        "layer": Parameter(3, int, always=True),
        "head": Parameter(1, int, always=True),
    }

    def pick() -> None:
        st.session_state["layer"], st.session_state["head"] = 5, 11
        address.note(parameters)

    def typed() -> None:
        enough = st.session_state.get("enough")
        st.session_state["part"] = enough is not None and enough(parameters, "text")

    if not st.session_state.pop("part", False):
        address.restore(parameters)
    st.text_input("text", key="text", on_change=typed)
    st.selectbox("layer", range(6), key="layer")
    st.selectbox("head", range(12), key="head")
    st.button("pick", on_click=pick)
    if not st.session_state.get("breaks"):
        address.keep(parameters)
    if st.session_state.get("draws", True):  # else it does so later than it is acted
        overtaken.ask_whether_drawn()


@pytest.fixture
def app() -> AppTest:
    """A head was just picked: the boxes were told, and the browser has the address."""
    app = AppTest.from_function(page).run()
    app.button[0].click().run()
    assert shown(app) == ("It was too late.", 5, 11)
    return app


def shown(app: AppTest) -> tuple[str, int, int]:
    state = app.session_state
    in_address = tuple(app.query_params[name] for name in ("layer", "head"))
    assert in_address == (str(state["layer"]), str(state["head"]))
    assert [box.value for box in app.selectbox] == [state["layer"], state["head"]]
    return state["text"], state["layer"], state["head"]


def say(app: AppTest, text: str, layer: int, head: int) -> AppTest:
    """What the browser says of its boxes."""
    app.text_input[0].set_value(text)
    app.selectbox[0].set_value(layer)
    app.selectbox[1].set_value(head)
    return app.run()


def test_a_sentence_typed_before_the_boxes_were_drawn_does_not_undo_the_click(app):
    assert shown(say(app, "Birds sing", 3, 1)) == ("Birds sing", 5, 11)


def test_neither_does_the_next_one(app):
    say(app, "Birds sing", 3, 1)
    assert shown(say(app, "hello there", 3, 1)) == ("hello there", 5, 11)


def test_a_box_that_was_drawn_in_the_meantime_is_believed(app):
    assert shown(say(app, "Birds sing", 5, 1)) == ("Birds sing", 5, 11)
    assert shown(say(app, "hello there", 3, 11)) == ("hello there", 3, 11)


def test_a_box_that_somebody_set_back_stays_so(app):
    assert shown(say(app, "It was too late.", 3, 11)) == ("It was too late.", 3, 11)
    assert shown(say(app, "Birds sing", 3, 11)) == ("Birds sing", 3, 11)


def test_a_box_set_back_later_stays_so_whatever_else_is_said_then(app):
    say(app, "Birds sing", 5, 11)
    assert shown(say(app, "hello there", 3, 1)) == ("hello there", 3, 1)


def test_who_types_while_boxes_are_told_what_to_show_is_told_what_they_show():
    app = AppTest.from_function(page)
    app.query_params.update(text="Birds sing", layer="2", head="4")
    app.session_state["draws"] = False
    app.run()
    told = []
    for text in ("hello there", "one two three one two", "It was too late."):
        app.session_state["draws"] = len(told) == 1  # by the third the box shows what it was told
        app.text_input[0].set_value(text).run()
        assert app.text_input[0].value == text
        told.append([each.proto.set_value for each in (app.text_input[0], *app.selectbox)])
    assert told == [[True, False, False], [True, False, False], [False, False, False]]


def test_who_acts_when_the_boxes_are_drawn_is_told_nothing():
    """What is told may come down behind what is typed next, and be what the box shows then."""
    app = AppTest.from_function(page)
    app.query_params.update(text="Birds sing", layer="2", head="4")
    app.run()
    app.text_input[0].set_value("hello there").run()
    assert not app.text_input[0].proto.set_value


@pytest.mark.parametrize("told", [False, True])
def test_what_was_typed_again_holds_where_the_line_broke_before_anything_came_of_it(told):
    """Typed is what the address still says: nothing else tells that anybody acted."""
    app = AppTest.from_function(page)
    view = {"text": "hello there", "layer": "2", "head": "4"}
    app.query_params.update(view)
    app.session_state["draws"] = not told
    app.run()
    say(app, "Birds sing", 2, 4)
    app.query_params.update(view)  # its answer has not arrived
    app.session_state["breaks"] = True
    say(app, "hello there", 2, 4)
    assert app.text_input[0].proto.set_value == told
    app.query_params.update(view)
    app.session_state["breaks"] = False
    app.session_state["address_lost"] = True  # the browser is back
    assert shown(app.run()) == ("hello there", 2, 4)


def test_what_is_typed_back_holds_where_a_part_of_the_page_answered_what_was_typed_before():
    app = AppTest.from_function(page)
    view = {"text": "hello there", "layer": "2", "head": "4"}
    app.query_params.update(view)
    app.run()
    app.session_state["enough"] = only
    say(app, "Birds sing", 2, 4)
    app.query_params.update(view)  # its answer has not arrived
    assert shown(say(app, "hello there", 2, 4)) == ("hello there", 2, 4)


def test_a_sentence_holds_that_its_box_was_told_before_the_line_broke():
    app = AppTest.from_function(page)
    app.query_params.update(text="Birds sing", layer="2", head="4")
    app.session_state["draws"] = False
    app.run()
    say(app, "hello there", 2, 4)
    app.session_state["part"] = True  # a click that a part of the page answers
    app.button[0].click().run()
    app.query_params.update(layer="2", head="4")  # it has not arrived
    app.session_state["breaks"] = True
    say(app, "It was too late.", 2, 4)
    assert app.text_input[0].proto.set_value
    app.query_params.update(layer="2", head="4")
    app.session_state["breaks"] = False
    app.session_state["address_lost"] = True  # the browser is back
    app.selectbox[0].set_value(2), app.selectbox[1].set_value(4)
    assert shown(app.run()) == ("It was too late.", 5, 11)
