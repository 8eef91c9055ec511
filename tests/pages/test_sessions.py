"""What a session holds: nothing that it computed, and after its end nothing at all."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

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
from pages.shared import sessions as ended, warm
from pages.shared.captures import read
from pages.shared.once import InUse

ended.EVERY = 0.2
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
    deadline = time.monotonic() + 20  # threads take their time to end
    while any(each() is not None for each in held) and time.monotonic() < deadline:
        time.sleep(0.1)
        gc.collect()
    return sum(each() is not None for each in held)


with TestClient(app.app, base_url="http://localhost") as browser:
    LoadedModel.attend = watching
    # Who is there before the server is warm, and all that lives moved out of the collector's sight.
    visit("")
    warm.start().join()
    read.kept.cache = InUse(0, itemgetter(1))
    for page in ("", "layers", "heads", "calculator"):
        visit(page)
    print(len(captures) > 8, alive(captures))
    manager = Runtime.instance()._session_mgr
    visit("about")  # the server's own loop remembers whom it served last
    while manager.list_active_sessions():
        time.sleep(0.1)
    # Their time to come back is over soon, and nobody else comes or goes.
    store = manager._session_storage
    kept, store._cache = store._cache, TTLCache(128, ttl=0.5)
    store._cache.update(kept)
    kept.clear()
    print(len(sessions[:-1]), alive(sessions[:-1]))
"""


def test_sessions_that_end_give_their_memory_back() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0", "5", "0"]
