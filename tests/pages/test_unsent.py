"""What a whole run has drawn of a fragment arrives, however soon the fragment runs again."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from pages.shared import unsent

PRACTICE, OTHER = "practice", "other"


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)
    unsent.say_what_is_so()


def drawn(text: str, place: int, fragment: str = "") -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path[:] = [0, place]
    message.delta.new_element.markdown.body = text
    message.delta.fragment_id = fragment
    return message


def ended() -> ForwardMsg:
    return ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)


def sent(queue: ForwardMsgQueue) -> list[str]:
    return [
        message.delta.new_element.markdown.body if message.HasField("delta") else "ended"
        for message in queue.flush()
    ]


def test_it_is_sent_before_the_run_is_said_to_have_ended_and_so_is_what_comes_after():
    queue = ForwardMsgQueue()
    for message in (drawn("title", 3), drawn("grid", 4, PRACTICE), ended()):
        queue.enqueue(message)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=[PRACTICE])
    queue.enqueue(drawn("grid, marked", 4, PRACTICE))
    assert sent(queue) == ["title", "grid", "ended", "grid, marked"]
    assert sent(queue) == []


def test_a_run_of_the_whole_page_draws_all_anew():
    queue = ForwardMsgQueue()
    queue.enqueue(drawn("grid", 4, PRACTICE))
    queue.enqueue(drawn("other", 5, OTHER))
    queue.clear(retain_lifecycle_msgs=True)
    assert sent(queue) == []
