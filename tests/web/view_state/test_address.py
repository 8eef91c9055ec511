"""The view of a page through Streamlit itself: widgets, callbacks and the query string."""

from typing import Any

import pytest
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from web.view_state import address
from web.view_state.address import PageUrl, only
from web.view_state.widget_fields import ACKNOWLEDGEMENT

WRITTEN = {"text": "hello there", "layer": "3"}


def page() -> None:
    """A text and two boxes, which a button sets as a click on a head does."""
    import streamlit as st

    from web.view_state import address, field, widget_fields
    from web.view_state.field import Fields

    class Page(Fields):
        text = field.text("", "It was too late.", always=True)
        layer = field.index("", 3, always=True)
        head = field.index("", 1, always=True)

    def pick() -> None:
        st.session_state["layer"], st.session_state["head"] = 5, 11

    address.restore(Page.fields)
    st.text_input("text", key="text")
    st.selectbox("layer", range(6), key="layer")
    st.selectbox("head", range(12), key="head")
    st.button("pick", on_click=pick)
    address.keep(Page.fields)
    widget_fields.draw_acknowledgement()


@pytest.mark.parametrize("query", [{}, {"layer": "2"}])  # the view is the default, or is read
def test_a_session_changes_no_default(query: dict[str, str]) -> None:
    def page() -> None:
        import streamlit as st

        from pages.explore.url import PARAMETERS
        from web.view_state import address

        address.restore({name: PARAMETERS[name] for name in ("layer", "picked")})
        st.session_state["picked"].append(7)
        st.json(PARAMETERS["picked"].default)

    app = AppTest.from_function(page)
    app.query_params.update(query)
    assert not app.run().exception and app.json[0].value == "[]"


@pytest.fixture
def app() -> AppTest:
    """A head was just picked. The response sets both boxes."""
    app = AppTest.from_function(page).run()
    app.run()
    app.button[0].click().run()
    assert shown(app) == ("It was too late.", 5, 11)
    assert [box.proto.set_value for box in app.selectbox] == [True, True]
    return app


def shown(app: AppTest) -> tuple[str, int, int]:
    """The view, which the session, the query string and the boxes must agree on."""
    state = app.session_state
    in_address = tuple(app.query_params[name] for name in ("text", "layer", "head"))
    assert in_address == (state["text"], str(state["layer"]), str(state["head"]))
    assert [box.value for box in app.selectbox] == [state["layer"], state["head"]]
    return state["text"], state["layer"], state["head"]


def send(app: AppTest, text: str, layer: int, head: int, drawn: bool = False) -> AppTest:
    """Send the values of all widgets; of a browser that has not drawn the last response, say."""
    app.text_input(key="text").set_value(text)
    app.selectbox(key="layer").set_value(layer)
    app.selectbox(key="head").set_value(head)
    if not drawn:
        app.text_input(key=ACKNOWLEDGEMENT).set_value("")
    return app.run()


def test_values_from_before_the_response_undo_no_click_and_later_ones_are_the_users(app):
    assert shown(send(app, "Birds sing", 3, 1)) == ("Birds sing", 5, 11)  # boxes not drawn yet
    assert [box.proto.set_value for box in app.selectbox] == [True, True]  # set again
    assert shown(send(app, "hello there", 3, 1)) == ("hello there", 5, 11)
    send(app, "hello there", 5, 11, drawn=True)
    assert [box.proto.set_value for box in app.selectbox] == [False, False]
    assert not app.text_input(key="text").proto.set_value
    assert shown(send(app, "hello there", 3, 11, drawn=True)) == ("hello there", 3, 11)


def test_a_box_that_was_drawn_and_set_back_keeps_the_users_value(app):
    send(app, "Birds sing", 5, 1)
    assert shown(send(app, "hello there", 3, 11)) == ("hello there", 3, 11)


def test_an_older_query_string_and_that_of_the_page_before_are_no_navigation(app):
    """The browser sends it until the response has reached it."""
    app.query_params.update(layer="3", head="1")
    assert shown(send(app, "Birds sing", 3, 1)) == ("Birds sing", 5, 11)
    app.session_state["written_before"] = [late := {"text": "-", "layer": "2", "head": "4"}]
    app.query_params.update(late)
    assert shown(app.run()) == ("Birds sing", 5, 11)


def test_another_query_string_is_a_navigation_and_an_unknown_value_becomes_the_default(app):
    app.query_params.update(text="Birds sing", layer="2", head="4")
    assert shown(app.run()) == ("Birds sing", 2, 4)
    first = AppTest.from_function(page)
    first.query_params.update(text="Birds sing", layer="x", head="4")
    assert shown(first.run()) == ("Birds sing", 3, 4)


def test_every_step_is_written_again_while_an_older_query_string_is_on_its_way(app, monkeypatch):
    """The response to a step can arrive after the next step."""
    monkeypatch.setattr(address, "stepped", lambda: True)
    writes = []
    from_dict = QueryParamsProxy.from_dict
    monkeypatch.setattr(
        QueryParamsProxy, "from_dict", lambda *args: writes.append(args[1]) or from_dict(*args)
    )
    for layer in ("2", "4", "1"):
        app.query_params["layer"] = layer
        assert shown(app.run())[1] == int(layer)
    assert [each["layer"] for each in writes] == ["2", "4", "1"]


def test_a_written_query_string_replaces_the_older_ones():
    url = PageUrl()
    url.receive({"a": "1"})
    url.written += [{"a": "2"}, {"a": "3"}]
    assert not url.receive({"a": "2"})
    assert url.newest() == {"a": "3"}
    assert not url.receive({"a": "3"})
    assert url.newest() == {"a": "3"} and not url.written
    url.written.append({"a": "4"})
    assert url.receive({"a": "2"}) and url.newest() == {"a": "2"}  # a link to it: the 4 is gone


def _only() -> None:
    import streamlit as st

    from web.view_state import field
    from web.view_state.field import Fields

    class Page(Fields):
        text, layer = field.text("", always=True), field.index("", 3, always=True)

    st.session_state["enough"] = st.session_state["only"](Page.fields, "text")


def enough(address: dict[str, str], url: PageUrl | None, **session: Any) -> bool:
    app = AppTest.from_function(_only)
    app.query_params.update(address)
    state = {"text": "another", "layer": 3, "only": only, **session}
    for key, value in (state | ({"page_url": url} if url else {})).items():
        app.session_state[key] = value
    app.run()
    assert not app.exception
    return bool(app.session_state["enough"])


def test_a_fragment_is_enough_if_the_text_alone_differs_from_the_query_string():
    assert enough(WRITTEN, PageUrl(WRITTEN))
    assert enough({**WRITTEN, "lang": "en"}, PageUrl({}, [WRITTEN]))
    assert not enough(WRITTEN, None)
    assert not enough(WRITTEN, PageUrl(WRITTEN), layer=5)
    assert not enough(WRITTEN, PageUrl(WRITTEN, [{**WRITTEN, "layer": "5"}]), layer=5)
    assert not enough(WRITTEN, PageUrl(WRITTEN, unsure=True))
    assert not enough({**WRITTEN, "text": "older"}, PageUrl(WRITTEN))
