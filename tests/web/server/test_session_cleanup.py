"""Memory of sessions: no results between runs, and nothing after their end."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

# A process of its own: a server runs once in each.
PROGRAM = """
import gc, time, weakref
from operator import itemgetter

from cachetools import TTLCache
from starlette.testclient import TestClient
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime

import app
from model import LoadedModel
from web.server import session_cleanup as cleanup, warmup as warm
from web.cache.captures import read
from web.cache.shared_cache import IdleExpiryCache

cleanup.INTERVAL = 0.2
captures, sessions = [], []
attend = LoadedModel.attend


def watching(self, *texts):
    captures.append(weakref.ref(found := attend(self, *texts)))
    return found


def visit(page):
    with browser.websocket_connect("/_stcore/stream", headers={"host": "localhost"}) as socket:
        asked = BackMsg()
        asked.rerun_script.page_name = page
        asked.rerun_script.query_string = f"text=hello+from+{page}&picked=1"
        socket.send_bytes(asked.SerializeToString())
        said = ForwardMsg()
        while said.WhichOneof("type") != "script_finished" or said.script_finished != 0:
            said.ParseFromString(socket.receive_bytes())
        active = Runtime.instance()._session_mgr.list_active_sessions()
        sessions.append(weakref.ref(active[-1].session))


def alive(held):
    deadline = time.monotonic() + 20  # threads need time to end
    while any(each() is not None for each in held) and time.monotonic() < deadline:
        time.sleep(0.1)
        gc.collect()
    return sum(each() is not None for each in held)


with TestClient(app.app, base_url="http://localhost") as browser:
    LoadedModel.attend = watching
    # A visit during the warm-up, which then excludes living objects from garbage collection.
    visit("")
    warm.start().join()
    read._cache = read.cached.cache = IdleExpiryCache(0, itemgetter(1))
    for page in ("layers", "heads"):
        visit(page)
    print(len(captures) > 3, alive(captures))
    manager = Runtime.instance()._session_mgr
    visit("about")  # the event loop keeps a reference to the last session
    while manager.list_active_sessions():
        time.sleep(0.1)
    # The stored sessions expire soon, and no other session starts or ends.
    store = manager._session_storage
    kept, store._cache = store._cache, TTLCache(128, ttl=0.5)
    store._cache.update(kept)
    kept.clear()
    print(len(sessions[:-1]), alive(sessions[:-1]))
"""


@pytest.mark.slow
def test_ended_sessions_are_garbage_collected() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0", "3", "0"]
