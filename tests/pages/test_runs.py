"""Of runs that follow closely upon one another nothing is lost, and none is said to be whole."""

from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.state import SafeSessionState, SessionState

from pages.shared import runs

PRACTICE = "practice"
PATCHED = (
    (SafeSessionState, "on_script_will_rerun"),
    (ForwardMsgQueue, "clear"),
    (AppSession, "request_script_stop"),
    (AppSession, "_create_script_finished_message"),
)


@pytest.fixture(autouse=True)
def nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, name in PATCHED:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    runs.lose_nothing()


class Session(AppSession):
    """One that was never begun, and so has nothing to end."""

    def __del__(self) -> None:
        pass


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


@pytest.mark.parametrize("fragments", [[PRACTICE], None])
def test_what_a_run_has_drawn_is_sent_before_it_is_said_to_have_ended(fragments):
    queue = ForwardMsgQueue()
    ended = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    for message in (drawn("title", 3), drawn("grid", 4, PRACTICE), ended):
        queue.enqueue(message)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)
    queue.enqueue(drawn("grid, marked", 4, PRACTICE))
    assert sent(queue) == ["title", "grid", ForwardMsg.FINISHED_SUCCESSFULLY, "grid, marked"]
    assert sent(queue) == []


def test_what_is_stopped_half_way_is_not_sent_and_has_not_ended_well():
    stopped, asked = SimpleNamespace(request_stop=lambda: asked.append("stop")), []
    session = Session.__new__(Session)  # without a server around it
    session._scriptrunner, session._browser_queue = stopped, ForwardMsgQueue()
    whole = session._create_script_finished_message(ForwardMsg.FINISHED_SUCCESSFULLY)
    assert whole.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    session._browser_queue.enqueue(drawn("half", 3))
    session.request_script_stop()
    half = session._create_script_finished_message(ForwardMsg.FINISHED_SUCCESSFULLY)
    assert half.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
    assert asked == ["stop"]
    assert sent(session._browser_queue) == []
    session._scriptrunner = SimpleNamespace()  # the browser is back
    again = session._create_script_finished_message(ForwardMsg.FINISHED_SUCCESSFULLY)
    assert again.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY


def test_what_was_told_is_taken_before_what_was_told_next():
    class Next(Exception):
        pass

    def give_way() -> None:
        raise Next

    state = SafeSessionState(SessionState(), give_way)
    told = WidgetStates()
    told.widgets.add(id="box").string_value = "hello there"
    state.on_script_will_rerun(told)
    assert [w.string_value for w in state._state._new_widget_state.as_widget_states()]
    with pytest.raises(Next):
        state["box"]
