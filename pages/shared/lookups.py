"""What Streamlit looks up again and again, and need not.

Each box with a key asks for the whole state to look at its own value in it, and with it for every
component's, of which each answer is a class made for that purpose: a tenth of what a page costs.
Each run begins with the theme, of which every setting is looked for among all settings, six times.
And before each value of the session, whether the run is to end: what it draws asks that anyway.
All that a component is told is searched for data frames, of which ours are told none.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from streamlit import config
from streamlit.components.v2.bidi_component import serialization
from streamlit.runtime import app_session
from streamlit.runtime.state import SafeSessionState


class _State(Mapping[str, Any]):
    """As the mapping that Streamlit makes, each value as it is asked for."""

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def _whole(self) -> dict[str, Any]:
        with self._state._lock:
            return self._state._state.filtered_state


def _read(state: SafeSessionState, key: str) -> Any:
    with state._lock:
        return state._state[key]


def _is_none(obj: object) -> bool:
    return False


def look_up_less() -> None:
    """Have this process look up what is asked for alone, and settings once.

    To be called when all settings are made. Nothing public of Streamlit has a way to.
    """
    SafeSessionState.filtered_state = property(_State)  # type: ignore[assignment,method-assign]
    SafeSessionState.__getitem__ = _read  # type: ignore[method-assign]
    config.get_options_for_section = cache(config.get_options_for_section)
    serialization.is_dataframe_like = _is_none  # type: ignore[attr-defined]
    app_session.to_snake_case = cache(app_session.to_snake_case)  # type: ignore[attr-defined]
