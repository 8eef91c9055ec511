"""What a browser has is sent by its name, and only what it will have when the name arrives."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

from pages.shared import sent
from pages.shared.sent import Sent

N_RUNS = 2  # Streamlit's own, after which a browser lets go of what was not drawn
WHOLE, NAME = "delta", "ref_hash"


def drawn(text: str, fragment: str = "") -> ForwardMsg:
    message = ForwardMsg(hash=f"hash of {text}")
    message.metadata.cacheable = True
    message.metadata.delta_path[:] = [0, 7]
    message.delta.new_element.markdown.body = text
    message.delta.fragment_id = fragment
    return message


def ended(*fragments: str, early: bool = False) -> ForwardMsg:
    status = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY if fragments else 0
    message = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN if early else status)
    message.metadata.run.fragment_ids[:] = fragments
    return message


def ways(*messages: ForwardMsg) -> list[str | None]:
    """How each was sent."""
    line = Sent(N_RUNS)
    return [line.shortened(message).WhichOneof("type") for message in messages]


def test_what_was_drawn_by_the_run_before_is_sent_by_its_name_and_in_its_place():
    line = Sent(N_RUNS)
    line.shortened(drawn("overview"))
    line.shortened(ended())
    name = line.shortened(drawn("overview"))
    assert name.ref_hash == "hash of overview"
    assert list(name.metadata.delta_path) == [0, 7]


@pytest.mark.parametrize("n_between", [1, 2, 3, 4])
def test_what_the_browser_has_let_go_of_is_sent_whole(n_between):
    between = [message for n in range(n_between) for message in (drawn(f"other {n}"), ended())]
    *_, last = ways(drawn("overview"), ended(), *between, drawn("overview"))
    assert last == (NAME if n_between < N_RUNS else WHOLE)


def test_what_is_drawn_again_and_again_is_kept():
    again = [message for _ in range(5) for message in (drawn("logo"), ended())]
    assert ways(*again)[::2] == [WHOLE, NAME, NAME, NAME, NAME]


def test_a_run_that_gave_way_to_another_lets_go_of_nothing():
    given_way = [ended(early=True)] * 6
    assert ways(drawn("overview"), ended(), *given_way, drawn("overview"))[-1] == NAME


def test_runs_of_a_part_let_go_of_what_is_of_that_part():
    first = [drawn("overview"), drawn("heatmap", "details"), ended()]
    parts = [ended("details")] * 3
    of_page, of_part = ways(*first, *parts, drawn("overview"), drawn("heatmap", "details"))[-2:]
    assert (of_page, of_part) == (NAME, WHOLE)
    assert ways(*first, *parts, ended(), drawn("overview"))[-1] == WHOLE  # the age was counted


def test_small_messages_are_sent_as_they_are():
    small = drawn("a word")
    small.metadata.cacheable = False
    assert ways(small, ended(), small) == [WHOLE, "script_finished", WHOLE]


def test_each_line_counts_for_itself(monkeypatch):
    written: list[ForwardMsg] = []
    monkeypatch.setattr(sent, "_write", lambda client, message: written.append(message))
    for owner, name in (
        (StarletteSessionClient, "write_forward_msg"),
        (script_run_context, "create_reference_msg"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    sent.count_along()
    lines = [StarletteSessionClient.__new__(StarletteSessionClient) for _ in range(2)]
    for line in (*lines, lines[1]):
        line.write_forward_msg(drawn("overview"))
    assert [message.WhichOneof("type") for message in written] == [WHOLE, WHOLE, NAME]
    # Nor is anything made short before it is sent, on the browser's word.
    assert script_run_context.create_reference_msg(drawn("overview")).HasField("delta")
