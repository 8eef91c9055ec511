"""The lazy mapping of the session state."""

from contextlib import suppress

import pytest
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.session_state import WidgetMetadata

from web.streamlit_patches import session_state_patches

computed: list[object] = []


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> SafeSessionState:
    """A session with a value of its own, two widgets with keys, and one without a key."""
    original = session_state_patches.original_filtered_state
    monkeypatch.setattr(SafeSessionState, "filtered_state", original)
    inner = SessionState()
    inner["own"] = 7
    for name, key, value in (("one", "box", "typed"), ("two", "picked", None), ("three", None, 5)):
        widget_id = f"$$ID-{name}-{key}"
        metadata = WidgetMetadata(
            id=widget_id,
            deserializer=lambda value: value,
            serializer=lambda value: value,
            value_type="string_value",
            presenter=lambda value, _state: computed.append(value) or value,
        )
        inner._set_widget_metadata(metadata)
        inner._new_widget_state.set_from_value(widget_id, value)
        if key:
            inner._set_key_widget_mapping(widget_id, key)
    return SafeSessionState(inner, lambda: None)


def test_the_lazy_state_equals_the_copy(state: SafeSessionState):
    copied = state.filtered_state
    assert copied == {"own": 7, "box": "typed", "picked": None}
    session_state_patches.install()
    lazy = state.filtered_state
    assert type(lazy) is not dict
    assert dict(lazy) == copied
    assert len(lazy) == 3
    assert "missing" not in lazy
    with pytest.raises(KeyError):
        lazy["missing"]


def test_only_the_requested_value_is_computed(state: SafeSessionState):
    session_state_patches.install()
    computed.clear()
    assert state.filtered_state["box"] == "typed"
    assert "picked" in state.filtered_state
    with suppress(KeyError):
        state.filtered_state["missing"]
    assert computed == ["typed", None]
