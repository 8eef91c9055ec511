"""When a part of a page is enough for what was typed."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from web.view_state.address import only  # before conftest.py puts another in its place

WRITTEN = {"text": "hello there", "layer": "3"}


def _page() -> None:
    import streamlit as st

    from web.view_state.address import Parameter

    asked = {"text": Parameter("", str, always=True), "layer": Parameter(3, int, always=True)}
    st.session_state["enough"] = st.session_state["ask"](asked, "text")


def enough(address: dict[str, str], **session: Any) -> bool:
    page = AppTest.from_function(_page)
    page.query_params.update(address)
    state = {"text": "another", "layer": 3, "address": WRITTEN, "address_known": WRITTEN}
    for key, value in {**state, "ask": only, **session}.items():
        page.session_state[key] = value
    page.run()
    assert not page.exception
    return bool(page.session_state["enough"])


def test_it_is_where_the_sentence_alone_is_another_than_the_browser_has():
    assert enough(WRITTEN)
    assert enough({**WRITTEN, "lang": "en"}, address_old=[{"text": "older", "layer": "3"}])


@pytest.mark.parametrize(
    "session",
    [
        {"layer": 5},  # chosen at the same time
        {"address_known": {**WRITTEN, "layer": "5"}, "layer": 5},  # clicked, and not written yet
        {"address_old": [WRITTEN]},  # or the browser is behind: who knows
        # who typed while the address was read has to be told
        {"boxes_in_doubt": {"text": "hello"}, "boxes_told_as": "a1"},
        {"boxes_told": WRITTEN},
        {"address_lost": True},
        {"link": "text=hello"},
    ],
)
def test_it_is_not_where_there_is_more_to_do(session):
    assert not enough(WRITTEN, **session)


def test_it_is_not_where_the_browser_has_another_view():
    assert not enough({**WRITTEN, "text": "older"})
    assert not enough({})
