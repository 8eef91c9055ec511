"""What Streamlit's boxes look up of a session is looked up alone.

Each box with a key asks for the whole state to look at its own value in it, and with it for every
component's, of which each answer is a class made for that purpose: a tenth of what a page costs.
"""

from collections.abc import Iterator, Mapping
from typing import Any

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


def look_up_alone() -> None:
    """Let the boxes of this process do so; nothing public of Streamlit has a way to."""
    SafeSessionState.filtered_state = property(_State)  # type: ignore[assignment,method-assign]
