"""References in place of messages that the browser has cached."""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

from web.streamlit_patches import forward_message_cache
from web.streamlit_patches.forward_message_cache import BrowserMessageCache

N_RUNS = 2  # Streamlit's default maximum age
WHOLE, REFERENCE = "delta", "ref_hash"


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
    """The type as which each message is sent."""
    cache = BrowserMessageCache(N_RUNS)
    return [cache.shorten(message).WhichOneof("type") for message in messages]


def test_a_message_of_the_two_previous_runs_is_sent_as_a_reference_with_its_delta_path():
    cache = BrowserMessageCache(N_RUNS)
    for message in (drawn("overview"), ended(), drawn("other"), ended()):
        cache.shorten(message)
    name = cache.shorten(drawn("overview"))
    assert name.ref_hash == "hash of overview"
    assert list(name.metadata.delta_path) == [0, 7]
    assert ways(drawn("overview"), ended(), ended(), ended(), drawn("overview"))[-1] == WHOLE


def test_a_message_used_by_every_run_stays_cached_and_interrupted_runs_evict_nothing():
    again = [message for _ in range(5) for message in (drawn("logo"), ended())]
    assert ways(*again)[::2] == [WHOLE, *[REFERENCE] * 4]
    given_way = [ended(early=True)] * 6
    assert ways(drawn("overview"), ended(), *given_way, drawn("overview"))[-1] == REFERENCE
    small = drawn("a word")
    small.metadata.cacheable = False
    assert ways(small, ended(), small)[-1] == WHOLE


def test_fragment_runs_evict_messages_of_their_fragment_only():
    first = [drawn("overview"), drawn("heatmap", "details"), ended()]
    parts = [ended("details")] * 3
    of_page, of_part = ways(*first, *parts, drawn("overview"), drawn("heatmap", "details"))[-2:]
    assert (of_page, of_part) == (REFERENCE, WHOLE)
    # Its age includes the fragment runs.
    assert ways(*first, *parts, ended(), drawn("overview"))[-1] == WHOLE


def test_each_websocket_has_its_own_cache(monkeypatch):
    written: list[ForwardMsg] = []
    monkeypatch.setattr(
        forward_message_cache, "_write_forward_msg", lambda client, message: written.append(message)
    )
    original = StarletteSessionClient.write_forward_msg, script_run_context.create_reference_msg
    monkeypatch.setattr(StarletteSessionClient, "write_forward_msg", original[0])
    monkeypatch.setattr(script_run_context, "create_reference_msg", original[1])
    forward_message_cache.install()
    clients = [StarletteSessionClient.__new__(StarletteSessionClient) for _ in range(2)]
    for cache in (*clients, clients[1]):
        cache.write_forward_msg(drawn("overview"))
    assert [message.WhichOneof("type") for message in written] == [WHOLE, WHOLE, REFERENCE]
    # A message is not shortened when it is enqueued, by the browser's list of hashes.
    assert script_run_context.create_reference_msg(drawn("overview")).HasField("delta")
