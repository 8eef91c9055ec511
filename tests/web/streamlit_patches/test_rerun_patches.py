"""Reruns in quick succession: widget values, unread and unsent messages, stopped runs."""

from collections import deque
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state import SafeSessionState, SessionState

from web.streamlit_patches import rerun_patches, widget_messages

PRACTICE = "practice"
rerun_patches.install()


class Session(AppSession):
    def __del__(self) -> None:
        """It was not started, so it has nothing to shut down."""


def drawn(text: str, place: int, fragment: str = "") -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path[:] = [0, place]
    message.delta.new_element.markdown.body = text
    message.delta.fragment_id = fragment
    return message


def sent(queue: ForwardMsgQueue) -> list[str | int]:
    return [
        m.delta.new_element.markdown.body if m.HasField("delta") else m.script_finished
        for m in queue.flush()
    ]


def test_unsent_messages_stay_in_the_queue_in_order():
    queue = ForwardMsgQueue()
    ended = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    for message in (drawn("title", 3), drawn("grid", 4, PRACTICE), ended):
        queue.enqueue(message)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=[PRACTICE])
    queue.enqueue(drawn("grid, marked", 4, PRACTICE))
    assert sent(queue) == ["title", "grid", ForwardMsg.FINISHED_SUCCESSFULLY, "grid, marked"]
    assert sent(queue) == []


def test_the_newest_unread_messages_are_kept_by_number_and_bytes(monkeypatch):
    monkeypatch.setattr(widget_messages, "_request_rerun", lambda *_: None)
    session, unread = Session.__new__(Session), deque()
    fields = {widget_messages._KEY: SimpleNamespace(messages=unread)}
    session._session_state = SimpleNamespace(_old_state=fields)
    for count, size, kept in ((40, 0, 32), (3, 1_500_000, 2), (1, 5_000_000, 1)):
        for number in range(count):
            state = ClientState(query_string=f"{number} {'x' * size}")
            widget_messages._record_message(session, state)
        assert len(unread) == kept and unread[-1] is state
        assert unread[0].query_string.startswith(f"{count - kept} ")


def test_a_stopped_run_discards_its_messages_and_reports_finished_early():
    stopped, asked = SimpleNamespace(request_stop=lambda: asked.append("stop")), []
    session = Session.__new__(Session)  # without a server
    session._scriptrunner, session._browser_queue = stopped, ForwardMsgQueue()
    whole = session._create_script_finished_message(ForwardMsg.FINISHED_SUCCESSFULLY)
    assert whole.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    session._browser_queue.enqueue(drawn("half", 3))
    session.request_script_stop()
    half = session._create_script_finished_message(ForwardMsg.FINISHED_SUCCESSFULLY)
    assert half.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
    assert asked == ["stop"]
    assert sent(session._browser_queue) == []
    session._scriptrunner = SimpleNamespace()  # the browser has reconnected
    again = session._create_script_finished_message(ForwardMsg.FINISHED_SUCCESSFULLY)
    assert again.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


def test_a_newer_request_interrupts_no_read_or_write_of_the_session_state_but_a_stop_does():
    class Next(Exception):
        pass

    class Runner(ScriptRunner):
        def __init__(self, requests: ScriptRequests) -> None:
            self._requests = requests

        def give_way(self) -> None:
            raise Next

    requests = ScriptRequests()
    state = SafeSessionState(SessionState(), Runner(requests).give_way)
    told = WidgetStates()
    told.widgets.add(id="box").string_value = "hello there"
    state.on_script_will_rerun(told)
    assert [w.string_value for w in state._state._new_widget_state.as_widget_states()]
    state["view"] = "restored"
    assert state["view"] == "restored"
    requests.request_stop()
    with pytest.raises(Next):
        state["view"] = "of another run"
