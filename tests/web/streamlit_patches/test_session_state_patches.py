"""The lazy mapping of the session state."""

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


def test_the_lazy_state_equals_the_copy_and_computes_only_requested_values(
    state: SafeSessionState,
) -> None:
    copied = state.filtered_state
    assert copied == {"own": 7, "box": "typed", "picked": None}
    session_state_patches.install()
    lazy = state.filtered_state
    computed.clear()
    assert lazy["box"] == "typed" and "picked" in lazy
    assert "missing" not in lazy
    assert computed == ["typed", None]
    assert dict(lazy) == copied and len(lazy) == 3
