"""Access to Streamlit's store of disconnected sessions.

Replaces: nothing. Streamlit keeps a session that lost its browser for
``server.disconnectedSessionTTL`` seconds, but evicts expired sessions only when it stores another
one. An idle server keeps their memory until then.
Upstream: https://github.com/streamlit/streamlit/issues/12506.
Delete it when Streamlit evicts them on a timer.
"""

from typing import Any

from streamlit.runtime import Runtime

_MANAGER = "streamlit.runtime.websocket_session_manager:WebsocketSessionManager"

TARGETS = {
    "streamlit.runtime.memory_session_storage:MemorySessionStorage._cache": "5d5b5c649133",
    "streamlit.runtime.memory_session_storage:MemorySessionStorage.save": "5d6688e9db4b",
    f"{_MANAGER}._session_storage": "33570a8951aa",
    "streamlit.runtime:Runtime._session_mgr": "c32186ced309",
}


def evict_expired_sessions() -> None:
    """Evict disconnected sessions that are past their time; nothing if no server runs."""
    if Runtime.exists():
        manager: Any = Runtime.instance()._session_mgr
        manager._session_storage._cache.expire()
