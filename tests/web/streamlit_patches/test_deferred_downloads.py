"""A click on a download button makes the file of the newest run."""

import asyncio
from types import SimpleNamespace

import pytest
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.testing.v1 import AppTest

from web.streamlit_patches import deferred_downloads

deferred_downloads.install()


def page() -> None:
    """A run of a page with two download buttons; the session state has their files."""
    import streamlit as st

    manager = st.session_state["manager"]
    manager.clear_session_refs()
    st.session_state["ids"] = [
        manager.add_deferred(
            lambda text=text: text, None, f"place {place}", f"{text}.txt", element_id=name
        )
        for place, (name, text) in enumerate(st.session_state["files"].items())
    ]
    manager.remove_orphaned_files()


def test_a_button_keeps_its_id_and_the_id_names_the_newest_file():
    storage = MemoryMediaFileStorage("/media")
    app = AppTest.from_function(page)
    app.session_state["manager"] = manager = MediaFileManager(storage)

    def draw(**files: str) -> dict[str, str]:
        app.session_state["files"] = files
        app.run()
        assert not app.exception
        return dict(zip(files, app.session_state["ids"], strict=True))

    def made(file_id: str) -> tuple[bytes, str | None]:
        url = manager.execute_deferred(file_id)
        file = storage.get_file(url.rpartition("/")[2])
        return file.content, file.filename

    before = draw(paper="85 mm", npz="one")
    assert before["paper"] != before["npz"]
    assert draw(npz="two", paper="120 mm") == before  # in other places
    assert made(before["paper"]) == (b"120 mm", "120 mm.txt")
    assert made(before["npz"]) == (b"two", "two.txt")
    assert draw(npz="three") == {"npz": before["npz"]}
    with pytest.raises(Exception, match="not found"):
        made(before["paper"])  # its button is gone
    assert draw(paper="200 mm", npz="three") == before


@pytest.mark.parametrize("limit", [60.0, 0.0])
def test_a_click_waits_for_the_runs_before_it_but_not_forever(monkeypatch, limit):
    monkeypatch.setattr(deferred_downloads, "LIMIT", limit)
    session = SimpleNamespace(_scriptrunner="running")
    order = []

    async def handle(_session: object, request: BackendOperationRequest) -> None:
        order.append(request.WhichOneof("payload"))

    monkeypatch.setattr(deferred_downloads, "_handle", handle)
    click, other = BackendOperationRequest(), BackendOperationRequest()
    click.deferred_file.file_id = "1"
    other.dismiss_skills_nudge.SetInParent()

    async def use() -> None:
        clicked = asyncio.create_task(AppSession._handle_backend_operation_request(session, click))
        await asyncio.sleep(0)
        await AppSession._handle_backend_operation_request(session, other)
        await asyncio.sleep(2 * deferred_downloads._POLL)
        order.append("run ended")
        session._scriptrunner = None
        await clicked

    asyncio.run(use())
    late = ["dismiss_skills_nudge", "run ended", "deferred_file"]
    assert order == (late if limit else ["deferred_file", *late[:2]])
