"""Files that are made on a click contain the user's last edit.

Replaces:

- ``AppSession._handle_backend_operation_request``: a click on a download button waits until the
  session has answered all requests before it.
- ``MediaFileManager.add_deferred``: a button keeps its file id in all runs.

Why: the file is made by the callable of the last run that the browser has drawn. A click right
after an edit, such as a width, makes a file without this edit. After the next run, the old id is
unknown, and a click that still holds it fails.
Upstream: not reported: a click on a deferred download right after another widget's edit.
Delete it when such a click calls the callable of the newest run.
"""

import asyncio
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

_MANAGER = "streamlit.runtime.media_file_manager:MediaFileManager"

TARGETS = {
    "streamlit.runtime.app_session:AppSession._handle_backend_operation_request": "2ec6d8221c57",
    "streamlit.runtime.app_session:AppSession._on_scriptrunner_event": "a622d57aa2ba",
    f"{_MANAGER}.add_deferred": "73a7dcf5de43",
    f"{_MANAGER}.execute_deferred": "a5cbea2a09e3",
    "streamlit.runtime.app_session:AppSession._scriptrunner": "ce93e53e6a8a",
    f"{_MANAGER}._lock": "f08e822b3b8f",
    f"{_MANAGER}._deferred_callables": "d0b4c935f502",
    f"{_MANAGER}._deferred_ids_by_session": "ceecb7f1aa63",
    f"{_MANAGER}._files_by_session_and_coord": "ef4a6499382f",
}

LIMIT = 20.0
"""Seconds after which a click no longer waits, for example for a long generation. Streamlit's own
limit for the file is 180 seconds."""

_POLL = 0.02  # seconds


_handle = AppSession._handle_backend_operation_request
_add_deferred = MediaFileManager.add_deferred


def install() -> None:
    """Replace both methods."""
    AppSession._handle_backend_operation_request = _handle_after_runs  # type: ignore[assignment,method-assign]
    MediaFileManager.add_deferred = _add_under_same_id  # type: ignore[assignment,method-assign]


async def _handle_after_runs(session: AppSession, request: BackendOperationRequest) -> None:
    if request.WhichOneof("payload") == "deferred_file":
        end = time.monotonic() + LIMIT
        while session._scriptrunner is not None and time.monotonic() < end:
            await asyncio.sleep(_POLL)
    await _handle(session, request)


def _add_under_same_id(
    manager: MediaFileManager,
    data_callable: Callable[[], Any],
    mimetype: str | None,
    coordinates: str,
    file_name: str | None = None,
    *,
    element_id: str = "",
) -> str:
    new = _add_deferred(
        manager, data_callable, mimetype, coordinates, file_name, element_id=element_id
    )
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not element_id:
        return new
    # Only this session's browser can know the id, as only it knows the session's.
    same = sha256(f"{context.session_id} {element_id}".encode()).hexdigest()
    with manager._lock:
        manager._deferred_callables[same] = manager._deferred_callables.pop(new)
        session_ids = manager._deferred_ids_by_session[context.session_id]
        session_ids.discard(new)
        session_ids.add(same)
        manager._files_by_session_and_coord[context.session_id][coordinates] = same
    return same
