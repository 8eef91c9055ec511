"""Lazy mapping in place of Streamlit's copy of the whole session state.

Replaces: ``SafeSessionState.filtered_state``.
Why: every widget with a key builds a dictionary of all session values to look at its own. For each
component this runs the component's presenter, which creates a class.
Measured: 15 % of the CPU time of an answer, see README.md.
Upstream: https://github.com/streamlit/streamlit/issues/9415, closed; the copy is still made.
Delete it when ``filtered_state`` no longer copies, or when a page draws few widgets.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from streamlit.runtime.state import SafeSessionState

TARGETS = {
    "streamlit.runtime.state:SafeSessionState.filtered_state": "d08f2da73ad6",
    "streamlit.runtime.state:SessionState.filtered_state": "c9cebb3efcc6",
    "streamlit.runtime.state:SessionState.__getitem__": "07d82ff981ac",
    "streamlit.runtime.state:SafeSessionState._state": "622433e294b8",
    "streamlit.runtime.state:SafeSessionState._lock": "fadaec774061",
}


original_filtered_state = SafeSessionState.filtered_state


class LazySessionState(Mapping[str, Any]):
    """The same keys and values, each value computed when it is read."""

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._copy())

    def __len__(self) -> int:
        return len(self._copy())

    def _copy(self) -> dict[str, Any]:
        with self._state._lock:
            return self._state._state.filtered_state


def install() -> None:
    """Replace the property."""
    SafeSessionState.filtered_state = property(LazySessionState)  # type: ignore[assignment,method-assign]
