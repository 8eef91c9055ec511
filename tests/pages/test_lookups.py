"""A value looked up alone is what it is in the whole state."""

from contextlib import suppress

import pytest
from streamlit import config
from streamlit.components.v2.bidi_component import serialization
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.session_state import WidgetMetadata

from pages.shared import lookups

PATCHED = (
    (SafeSessionState, "filtered_state"),
    (SafeSessionState, "__getitem__"),
    (config, "get_options_for_section"),
    (app_session, "to_snake_case"),
    (serialization, "is_dataframe_like"),
)


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> SafeSessionState:
    """A session with a value of its own, a box's, one of a box without a key, and a counter."""
    for owner, name in PATCHED:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    inner = SessionState()
    inner["own"] = 7
    for name, key, value in (("one", "box", "typed"), ("two", "picked", None), ("three", None, 5)):
        widget_id = f"$$ID-{name}-{key}"
        metadata = WidgetMetadata(
            id=widget_id,
            deserializer=lambda told: told,
            serializer=lambda value: value,
            value_type="string_value",
            presenter=lambda value, _state: shown.append(value) or value,
        )
        inner._set_widget_metadata(metadata)
        inner._new_widget_state.set_from_value(widget_id, value)
        if key:
            inner._set_key_widget_mapping(widget_id, key)
    return SafeSessionState(inner, lambda: None)


shown: list[object] = []


def test_it_is_the_same_state(state: SafeSessionState):
    whole = state.filtered_state
    assert whole == {"own": 7, "box": "typed", "picked": None}
    lookups.look_up_less()
    alone = state.filtered_state
    assert type(alone) is not dict
    assert dict(alone) == whole
    assert len(alone) == 3
    assert "nobody" not in alone
    with pytest.raises(KeyError):
        alone["nobody"]


def test_only_what_is_asked_for_is_made(state: SafeSessionState):
    lookups.look_up_less()
    shown.clear()
    assert state.filtered_state["box"] == "typed"
    assert "picked" in state.filtered_state
    with suppress(KeyError):
        state.filtered_state["nobody"]
    assert shown == ["typed", None]


def test_a_value_is_what_it_was_and_is_read_without_giving_way(state: SafeSessionState):
    gave_way: list[None] = []
    object.__setattr__(state, "_yield_callback", lambda: gave_way.append(None))
    lookups.look_up_less()
    assert (state["own"], state["box"]) == (7, "typed")
    assert not gave_way
    with pytest.raises(KeyError):
        state["nobody"]
    state["own"] = 8
    assert state["own"] == 8


@pytest.mark.usefixtures("state")
def test_the_theme_is_told_as_before():
    def theme(section: str) -> CustomThemeConfig:
        told = CustomThemeConfig()
        app_session._populate_theme_msg(told, section)
        return told

    sections = ("theme", "theme.light", "theme.dark", "theme.sidebar")
    before = [theme(section) for section in sections]
    lookups.look_up_less()
    for _again in range(2):
        assert [theme(section) for section in sections] == before


@pytest.mark.usefixtures("state")
def test_a_component_is_told_what_it_was_told():
    def told() -> BidiComponent:
        proto = BidiComponent()
        data = {"picked": [2, 5], "left": {"layer": 3, "head": 1}, "range": [0.0, 0.75], "no": []}
        serialization.serialize_mixed_data(data, proto)
        return proto

    before = told()
    lookups.look_up_less()
    assert told() == before
