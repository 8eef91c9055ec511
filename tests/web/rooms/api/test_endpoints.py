"""HTTP and WebSocket API of the rooms: permissions, rate limits, and the states that are sent."""

import csv
import io
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Semaphore
from zipfile import ZipFile

import pytest
from limits import RateLimitItemPerDay, RateLimitItemPerMinute
from sqlalchemy import update
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect
from starlette_compress import CompressMiddleware

from model import HeadlightError
from tests.web.rooms.conftest import BOTH, storage_settings
from web import settings
from web.cache.loaded_models import loaded_model
from web.inference import forward_queue
from web.rooms.api import endpoints, live_socket, rate_limits, service
from web.rooms.api.app import RoomsApp
from web.rooms.api.messages import page_messages
from web.rooms.store import room_lessons, rooms
from web.rooms.store.database import Database
from web.rooms.store.errors import RoomError
from web.rooms.store.snapshot import iso_time
from web.rooms.store.tables import Room
from web.rooms.store.tokens import CODE_DIGITS
from web.server.request_guard import RequestGuardMiddleware
from web.settings import Settings, network
from web.view_state.page_registry import lesson_question

SCHOOL = "198.51.100.7"
CHOICE = {"kind": "choice", "prompt": "<b>which</b>?", "view": "/heads?text=%3Cb%3E"}
CLOSED = (WebSocketDisconnect, WebSocketDenialResponse)
ITEMS, TRUTH = {"options": ["a", "b", "c"]}, {"right": [2]}
COMPUTED = endpoints._items_and_truth
"""The function that the tests replace, because it loads models."""


class Server:
    """The rooms of one server process, called as a browser does."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def call(self, path: str, token: str = "", body: object = None, method: str = "POST", **more):
        """Return the status, and the JSON or the text of the response."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        headers |= {name: value for name, value in more.items() if value}
        response = self.client.request(method, f"/api/rooms{path}", json=body, headers=headers)
        assert response.headers["x-content-type-options"] == "nosniff"
        kind = response.headers.get("content-type", "")
        return response.status_code, response.json() if "json" in kind else response.text

    @contextmanager
    def connect(self, code: str, token: str, **more: str) -> Iterator["Connection"]:
        path = f"/api/rooms{code}/live"
        headers = {"host": "localhost:8501", **more}
        with self.client.websocket_connect(path, headers=headers) as socket:
            socket.send_json({"token": token})
            yield Connection(socket)


def raw_socket(server: Server, code: str):
    """Return a WebSocket that has sent no token."""
    headers = {"host": "localhost:8501"}
    return server.client.websocket_connect(f"/api/rooms{code}/live", headers=headers)


class Connection:
    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket

    def until(self, **expected: object) -> dict:
        """Return the first state with these values; the prefix ``q_`` means the question's."""
        while True:
            state = self.socket.receive_json()
            question = state.get("question") or {}
            found = {name: (question if name[:2] == "q_" else state) for name in expected}
            if all(
                found[name].get(name.removeprefix("q_")) == value
                for name, value in expected.items()
            ):
                return state


@pytest.fixture
def serve(where: Path | str, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """Return a function that starts the rooms of a process; all share one database."""
    monkeypatch.setattr(
        settings, "_settings", Settings(address="0.0.0.0", **storage_settings(where))
    )
    monkeypatch.setattr(endpoints, "_items_and_truth", lambda body: (ITEMS, TRUTH))
    with ExitStack() as running:

        def start(address: str = SCHOOL) -> Server:
            api = RoomsApp()
            app = Starlette(
                routes=api.routes,
                middleware=[Middleware(RequestGuardMiddleware), Middleware(CompressMiddleware)],
                lifespan=lambda app: api.running(),
            )
            client = TestClient(app, base_url="http://localhost:8501", client=(address, 5))
            return Server(running.enter_context(client))

        yield start


@pytest.fixture
def here(serve) -> Server:
    return serve()


@pytest.fixture
def opened(here: Server) -> tuple[str, str]:
    """Return a new room's path and its teacher's token."""
    status, room = here.call("")
    assert status == 200 and room.keys() == {"code", "teacher", "ends"}
    return f"/{room['code']}", room["teacher"]


def join(server: Server, code: str) -> str:
    status, joined = server.call(f"{code}/join")
    assert status == 200, joined
    return joined["student"]


@BOTH
def test_a_lesson_from_joining_to_the_results(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    ada, ben = join(here, code), join(here, code)
    assert here.call(f"{code}/join", ada) == (200, {"student": ada})
    with (
        here.connect(code, teacher) as projector,
        here.connect(code, ada) as first,
        here.connect(code, ben) as second,
    ):
        projector.until(connected=2, view=None)
        view = {"address": "/layers?text=%D1%82&head=3"}
        assert here.call(f"{code}/view", teacher, view) == (204, "")
        for connection in (projector, first, second):
            assert connection.until(change=1)["view"] == view["address"]
        assert here.call(f"{code}/switches", teacher, {"locked": True})[0] == 204
        assert first.until(locked=True)["role"] == "student"

        status, question = here.call(f"{code}/questions", teacher, CHOICE)
        number = f"{code}/questions/{question['id']}"
        assert status == 200
        seen = second.until(q_id=question["id"])["question"]
        assert seen["prompt"] == "<b>which</b>?" and seen["items"] == ITEMS
        assert {"truth", "tally", "earlier", "n_answers"}.isdisjoint(seen)

        body = {"round": 1, "answer": 2}
        assert here.call(f"{number}/answer", ada, body) == (200, {"answer": 2})
        assert here.call(f"{number}/answer", ada, body) == (200, {"answer": 2})
        other = {"round": 1, "answer": 0}
        assert here.call(f"{number}/answer", ada, other) == (409, {"answer": 2})
        assert projector.until(q_n_answers=1)["question"]["tally"] == [[2, 1]]
        assert "tally" not in first.until(q_answered=2)["question"]

        assert here.call(f"{number}/stop", teacher)[0] == 204
        assert {"truth", "tally"}.isdisjoint(second.until(q_state="stopped")["question"])
        assert here.call(f"{number}/answer", ben, body) == (409, {"error": "closed"})
        note = {"question": question["id"], "answer": 2, "note": "Look!"}
        assert here.call(f"{code}/notes", ada, note)[0] == 403
        assert here.call(f"{code}/notes", teacher, note)[0] == 204
        assert first.until(note="Look!")["question"]["answered"] == 2
        assert here.call(f"{number}/reveal", teacher)[0] == 204
        seen = second.until(q_state="revealed")["question"]
        assert (seen["truth"], seen["tally"], seen["answered"]) == (TRUTH, [[2, 1]], None)
        assert here.call(f"{number}/answer", ben, body) == (409, {"error": "closed"})

        assert here.call(f"{number}/again", teacher)[0] == 204
        assert "truth" not in second.until(q_round=2)["question"]
        assert here.call(f"{number}/answer", ben, {"round": 2, "answer": 1})[0] == 200
        seen = projector.until(q_round=2, q_n_answers=1)["question"]
        assert (seen["tally"], seen["earlier"]) == ([[1, 1]], [[[2, 1]]])
        assert here.call(f"{number}/close", teacher)[0] == 204
        assert second.until(question=None)["view"] == view["address"]

        status, table = here.call(f"{code}/results.csv", teacher, method="GET")
        assert status == 200 and len(table.splitlines()) == 3
        status, summary = here.call(f"{code}/summary", teacher, method="GET")
        assert summary["questions"][0]["rounds"] == [[[2, 1]], [[1, 1]]]

        ends = int(time.time()) + 5 * 86_400
        assert here.call(f"{code}/end", teacher, {"ends": ends})[0] == 204
        first.until(ends=iso_time(ends))
        for bad in (None, "5", True, 1e300):
            assert here.call(f"{code}/end", teacher, {"ends": bad}) == (400, {"error": "bad"})
        assert here.call(f"{code}/switches", teacher, {"shut": True})[0] == 204
        assert here.call(f"{code}/join") == (403, {"error": "shut"})
        assert here.call(f"{code}/join", ada) == (200, {"student": ada})
        assert here.call(code, teacher, method="DELETE")[0] == 204
        for connection in (projector, first, second):
            connection.until(ended=True)
    assert here.call(f"{code}/join") == (410, {"error": "ended"})
    assert here.call(f"{code}/view", teacher, view) == (410, {"error": "ended"})
    assert here.call(f"{code}/summary", teacher, method="GET")[0] == 200
    with here.connect(code, ada) as late:
        late.until(ended=True)
    assert here.call(f"{code}/data", teacher, method="DELETE")[0] == 204
    assert here.call(f"{code}/summary", teacher, method="GET") == (404, {"error": "unknown"})


TEACHER_REQUESTS = [
    ("POST", "/view", {"address": "/"}),
    ("POST", "/switches", {"locked": True}),
    ("POST", "/end", {"ends": 1}),
    ("POST", "/questions", CHOICE),
    ("POST", "/questions/1/stop", None),
    ("POST", "/questions/1/reveal", None),
    ("POST", "/questions/1/again", None),
    ("POST", "/questions/1/close", None),
    ("GET", "/results.csv", None),
    ("GET", "/summary", None),
    ("GET", "/data.zip", None),
    ("POST", "/plan", {"lesson": None}),
    ("POST", "/pause", {"message": None}),
    ("GET", "/work", None),
    ("GET", "/work.csv", None),
    ("POST", "/notes", {"students": [1], "note": ""}),
    ("GET", "/collected", None),
    ("POST", "/collected", {"label": "a", "view": "/"}),
    ("POST", "/collected/1", {"by": 1}),
    ("DELETE", "/collected/1", None),
    ("POST", "/compared", {"items": []}),
    ("GET", "/questions/1/sketches", None),
    ("DELETE", "", None),
    ("DELETE", "/data", None),
]


def test_the_server_measures_a_students_sentence_and_the_teacher_shows_it(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, teacher = opened
    ada, ben = join(here, code), join(here, code)
    items = {"model": "minilm", "layer": 1, "head": 2, "special": "show", "reasons": True}
    monkeypatch.setattr(endpoints, "_items_and_truth", lambda body: (items, {"right": []}))
    measured = []

    def measure(asked: dict, sentence: dict) -> dict:
        measured.append(asked)
        if "dragon" in sentence["text"]:
            raise RoomError("bad", "No dragons.")
        return {**sentence, "weight": 0.25, "linked": True}

    monkeypatch.setattr(endpoints, "_measured_sentence", measure)
    asked = {"kind": "sentence", "prompt": "Type.", "view": "/?text=a"}
    status, question = here.call(f"{code}/questions", teacher, asked)
    assert status == 200
    path = f"{code}/questions/{question['id']}"
    own = {"text": "dogs sleep", "query": [0, 4], "key": [5, 10]}
    forged = {**own, "weight": 1.0, "linked": False}
    stored = {**own, "weight": 0.25, "linked": True}
    more = {"round": 1, "confidence": 1, "reason": "why"}
    assert here.call(f"{path}/answer", ada, {**more, "answer": forged}) == (200, {"answer": stored})
    assert here.call(f"{path}/answer", ada, {**more, "answer": forged}) == (200, {"answer": stored})
    refused = {"error": "bad", "about": "No dragons."}
    dragon = {**own, "text": "dragons sleep"}
    assert here.call(f"{path}/answer", ben, {"round": 1, "answer": dragon}) == (400, refused)
    assert measured == [items] * 3
    for body in (
        {"round": 1, "answer": {**own, "key": [0, 4]}},
        {"round": 1, "answer": own, "confidence": 3},
        {"round": 1, "answer": own, "confidence": "1"},
        {"round": 1, "answer": own, "reason": 7},
        {"round": 1, "answer": own, "reason": "a" * 201},
    ):
        assert here.call(f"{path}/answer", ben, body)[0] == 400
    assert len(measured) == 3
    assert here.call(f"{path}/texts", ada, {"answers": None, "shown": True})[0] == 403
    for body in ({"answers": "all", "shown": True}, {"answers": [True], "shown": True}, {}):
        assert here.call(f"{path}/texts", teacher, body)[0] == 400
    with here.connect(code, ben) as student:
        assert here.call(f"{path}/texts", teacher, {"answers": None, "shown": True})[0] == 204
        assert here.call(f"{path}/reveal", teacher)[0] == 204
        (text,) = student.until(q_state="revealed")["question"]["texts"]
        assert (text["answer"], text["reason"]) == (stored, "why")


def test_a_measure_of_a_sentence_is_computed_counted_and_saved(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "_items_and_truth", COMPUTED)
    code, teacher = opened
    ada = join(here, code)
    view = "/?text=A+cat+sat.&right=minilm&layer=5&head=11"
    asked = {"kind": "sentence", "measure": "previous", "prompt": "Type.", "view": view}
    unknown = {"error": "bad", "about": "minilm does not have this measure."}
    assert here.call(f"{code}/questions", teacher, {**asked, "measure": "x"}) == (400, unknown)
    status, question = here.call(f"{code}/questions", teacher, asked)
    assert status == 200
    weights = loaded_model("minilm").attend("Dogs sleep").weights[5, 11]  # (4, 4)
    value = round(float(weights[2, 1]), 4)  # one token has a previous one: [CLS] does not count
    forged = {"text": "Dogs sleep", "value": 1, "weight": 1}
    stored = {"text": "Dogs sleep", "value": value}
    given = here.call(
        f"{code}/questions/{question['id']}/answer", ada, {"round": 1, "answer": forged}
    )
    assert given == (200, {"answer": stored})
    with here.connect(code, ada) as student:
        open_question = student.until(role="student")["question"]
        assert "truth" not in open_question and "texts" not in open_question
    _, summary = here.call(f"{code}/summary", teacher, method="GET")
    (counted,) = summary["questions"]
    assert counted["items"]["measure"] == "previous" and counted["rounds"] == [[[[value, None], 1]]]
    assert counted["truth"]["reference"]["text"] == "A cat sat."
    _, table = here.call(f"{code}/results.csv", teacher, method="GET")
    (row,) = csv.DictReader(io.StringIO(table.removeprefix("\ufeff")))
    assert row["answer"] == f"Dogs sleep | previous {value:.4f}"
    assert (row["right"], row["right_answer"], row["model"]) == ("", "", "minilm")


def test_only_the_teacher_may_change_a_room(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    assert here.call(f"{code}/questions", teacher, CHOICE)[0] == 200
    _, elsewhere = here.call("")
    for token in (join(here, code), elsewhere["teacher"], "", "nonsense"):
        for method, path, body in TEACHER_REQUESTS:
            refused = here.call(f"{code}{path}", token, body, method)
            assert refused == (403, {"error": "forbidden"}), path
    answered = here.call(f"{code}/questions/1/answer", teacher, {"round": 1, "answer": 0})
    assert answered == (403, {"error": "forbidden"})
    with here.connect(code, join(here, code)) as connection:
        assert connection.until(ended=False)["question"]["state"] == "open"


PLAN = {"lesson": "masks", "title": "Masks", "views": ["/?lesson=masks.1", "/layers?b"]}
WORK = {"lesson": "masks", "step": 1, "answer": "dog", "outcome": "right", "view": "/?x"}


LESSON = """
title = "Mine"
minutes = 3
learn = "What it is."

[[steps]]
view = "/?text=My+sister+fed+the+dog."

[steps.question]
kind = "choice"
ask = "Who barks?"
options = ["the dog", "the sister"]
right = "the dog"
"""


@BOTH
def test_a_teachers_own_lesson_belongs_to_its_room_and_is_deleted_with_it(
    here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    student, path = join(here, code), f"{code}/lessons"
    status, added = here.call(path, teacher, {"text": LESSON})
    assert (status, added["title"]) == (200, "Mine") and added["name"].startswith("room-")
    questions = [CHOICE | {"options": ["a", "b"], "right": [1], "view": "/"}]
    status, listed = here.call(path, teacher, {"title": "List", "questions": questions})
    assert status == 200 and listed["name"] != added["name"]
    assert here.call(path, teacher, method="GET") == (200, [listed, added])
    status, corrected = here.call(path, teacher, {"text": LESSON.replace("barks", "sleeps")})
    assert here.call(path, teacher, method="GET") == (200, [corrected, listed])
    status, plan = here.call(f"{code}/plan", teacher, {"lesson": added["name"]})
    assert status == 200 and plan["title"] == "Mine"
    place = f"{added['name']}.1"
    assert plan["views"] == [f"/?text=My+sister+fed+the+dog.&lesson={place}"]
    asked = lesson_question(place)
    assert asked["items"]["options"] == ["the dog", "the sister"]
    assert lesson_question(f"{listed['name']}.1")["truth"] == {"right": [1]}
    work = WORK | {"lesson": added["name"], "step": 1}
    assert here.call(f"{code}/work", student, work)[0] == 204
    assert (
        f"\r\n{added['name']},Mine,1,1," in here.call(f"{code}/work.csv", teacher, method="GET")[1]
    )

    assert here.call(path, student, {"text": LESSON})[0] == 403
    assert here.call(path, student, method="GET")[0] == 403
    wrong = LESSON.replace("/?text=", "/?depth=3&text=")
    status, refused = here.call(path, teacher, {"text": wrong})
    assert (status, refused["error"]) == (400, "bad") and "depth=3" in refused["about"]
    for body in (
        {},
        {"text": 3},
        {"text": "#" * 40_001},
        {"title": 3, "questions": []},
        {"questions": [3]},
        {"title": "x", "questions": [CHOICE | {"view": "//["}]},
    ):
        assert here.call(path, teacher, body)[0] == 400
    assert here.call(f"{code}/plan", teacher, {"lesson": "room-of-nobody"})[0] == 400
    assert here.call(f"{code}/data", teacher, method="DELETE")[0] == 204
    assert lesson_question(place) is None


def test_the_lessons_of_a_room_and_of_a_network_are_limited(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, teacher = opened
    monkeypatch.setattr(room_lessons, "MAX_LESSONS", 1)
    monkeypatch.setattr(rate_limits, "LESSONS", RateLimitItemPerMinute(3))
    answers = [here.call(f"{code}/lessons", teacher, {"text": LESSON}) for _ in range(4)]
    assert [status for status, _ in answers] == [200, 400, 400, 429]
    assert answers[1][1]["about"] == "A room has at most 1 lessons of its own."


@BOTH
def test_a_class_works_on_a_lesson(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"masks": PLAN}.get
    monkeypatch.setattr("web.view_state.page_registry.lesson_views", found)
    code, teacher = opened
    ada, ben = join(here, code), join(here, code)
    with (
        here.connect(code, teacher) as projector,
        here.connect(code, ada) as first,
        here.connect(code, ben) as second,
    ):
        assert second.socket.receive_json() == {"number": 2}
        started = here.call(f"{code}/plan", teacher, {"lesson": "masks", "first": 1, "last": 2})
        assert started == (200, PLAN)
        assert first.until(apart=True)["plan"] == {**PLAN, "first": 1, "last": 2}
        version = projector.until(apart=True)["version"]
        assert here.call(f"{code}/work", ada, WORK) == (204, "")
        assert projector.until(version=version + 1)["role"] == "teacher"
        status, work = here.call(f"{code}/work", teacher, method="GET")
        assert [each["work"] for each in work["students"]] == [{"1": ["dog", "right", 1]}, {}]

        assert here.call(f"{code}/pause", teacher, {"message": "Look!"})[0] == 204
        assert here.call(f"{code}/notes", teacher, {"students": [2], "note": "Row 3"})[0] == 204
        assert second.until(note="Row 3")["paused"] == "Look!"
        assert here.call(f"{code}/pause", teacher, {"message": None})[0] == 204
        seen = first.until(paused=None, note=None)
        assert "dog" not in json.dumps(seen)  # a student sees no work of others
        assert here.call(f"{code}/name", ben, {"name": " Ben "})[0] == 204
        status, table = here.call(f"{code}/work.csv", teacher, method="GET")
        assert status == 200 and len(table.splitlines()) == 2

        assert here.call(f"{code}/plan", teacher, {"lesson": None}) == (200, {})
        assert second.until(plan=None)["apart"] is False


def test_invalid_work_is_refused(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.view_state.page_registry.lesson_views", {"masks": PLAN}.get)
    code, teacher = opened
    student, bad = join(here, code), (400, {"error": "bad"})
    wrong = [{"step": "1"}, {"step": True}, {"outcome": "best"}, {"answer": "x" * 81}]
    for change in (*wrong, {"lesson": 7}, {"lesson": "x" * 81}, {"view": "//x"}, {"step": 1e99}):
        assert here.call(f"{code}/work", student, {**WORK, **change}) == bad, change
    for body in ({"lesson": "none"}, {"lesson": 7}, {"lesson": "masks", "last": 3}, {"first": 1.5}):
        assert here.call(f"{code}/plan", teacher, body) == bad, body
    for students in ("all", ["1"], None):
        body = {"students": students, "note": ""}
        assert here.call(f"{code}/notes", teacher, body) == bad, body
    assert here.call(f"{code}/notes", teacher, {"students": []}) == bad
    assert here.call(f"{code}/pause", teacher, {"message": "x" * 301}) == bad
    assert here.call(f"{code}/name", student, {"name": "x" * 41}) == bad
    for path, body in (("work", WORK), ("name", {"name": "Ada"})):
        assert here.call(f"{code}/{path}", teacher, body) == (403, {"error": "forbidden"})


INVALID_VIEWS = (
    "//evil.example/",
    "/\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "",
    "layers",
    "/layers?a b",
    "/layers#x",
    "/layers?\u0000",
    "/layers?\ud800",
    "/?" + "x" * 8000,
    None,
    7,
)


def test_a_view_must_be_a_path_of_this_site(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    headers = {"authorization": f"Bearer {teacher}"}
    for address in INVALID_VIEWS:
        body = json.dumps({"address": address})  # a browser can send a lone surrogate
        answer = here.client.post(f"/api/rooms{code}/view", content=body, headers=headers)
        assert (answer.status_code, answer.json()) == (400, {"error": "bad"}), address


def test_an_invalid_body_is_refused(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    headers = {"authorization": f"Bearer {teacher}"}
    wrong = [b"", b"no json", b"[]", b'{"locked": 1}', b'{"locked": NaN}', b"\xff"]
    for body in (*wrong, b"[" * 50_000, b" " * 200_000 + b'{"locked": true}'):
        answer = here.client.post(f"/api/rooms{code}/switches", content=body, headers=headers)
        assert (answer.status_code, answer.json()) == (400, {"error": "bad"}), body[:20]


def test_a_refused_question_returns_the_reason_in_words(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, teacher = opened
    monkeypatch.undo()  # restore the function that the fixture replaces
    monkeypatch.setattr(settings, "_settings", Settings(address="0.0.0.0"))

    def refuse(question: dict) -> None:
        raise HeadlightError("There is no {token}.", token="{head}")

    monkeypatch.setattr("web.rooms.api.question_builder.build_question", refuse)
    refused = here.call(f"{code}/questions", teacher, CHOICE)
    assert refused == (400, {"error": "bad", "about": "There is no {head}."})
    for wrong in ({"kind": "other"}, {"prompt": None}, {"prompt": "x" * 501}, {"view": "//x"}):
        refused = here.call(f"{code}/questions", teacher, {**CHOICE, **wrong})
        assert refused == (400, {"error": "bad"})


@BOTH
def test_a_school_can_join_and_guesses_are_limited(
    serve, here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    students = [join(here, code) for _ in range(300)]
    assert len(set(students)) == 300
    codes = (f"/{number}" for number in count(10_000_001) if f"/{number}" != code)
    for _ in range(rate_limits.GUESSES.amount):
        assert here.call(f"{next(codes)}/join") == (404, {"error": "unknown"})
    enough = (429, {"error": "too_many"})
    assert here.call(f"{next(codes)}/join") == enough
    # Every request gets the same response for a right and a wrong code.
    for guess in (code, next(codes)):
        assert here.call(f"{guess}/join") == enough
        assert here.call(f"{guess}/view", "nonsense", {"address": "/"}) == enough
        assert here.call(guess, method="DELETE") == enough
        with here.connect(guess, "nonsense") as connection:
            assert connection.socket.receive_json() == {"error": "too_many"}
    # A member with a token is not limited.
    assert here.call(f"{code}/join", students[7]) == (200, {"student": students[7]})
    assert here.call(f"{code}/view", teacher, {"address": "/"})[0] == 204
    with here.connect(code, students[7]) as connection:
        connection.until(change=1)


def test_one_network_can_neither_fill_a_room_nor_join_without_end(
    serve, here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "JOINED", RateLimitItemPerMinute(5))
    monkeypatch.setattr(rate_limits, "JOINED_ROOM", RateLimitItemPerDay(3))
    code, enough = opened[0], (429, {"error": "too_many"})
    students = [join(here, code) for _ in range(3)]
    assert here.call(f"{code}/join") == (429, {"error": "too_many_day"})
    assert here.call(f"{code}/join", students[0]) == (200, {"student": students[0]})
    other = f"/{here.call('')[1]['code']}"
    join(here, other)
    assert here.call(f"{other}/join") == enough
    join(serve("203.0.113.5"), code)


def test_a_school_fits_into_the_limits_and_a_flood_does_not() -> None:
    limits = rate_limits.RateLimits()
    for _ in range(400):
        limits.count_join("1", SCHOOL)
    with pytest.raises(RoomError, match="too_many"):
        for _ in range(600):
            limits.count_join("1", SCHOOL)
    for _ in range(6 * 400):
        limits.count_answer(SCHOOL)
    with pytest.raises(RoomError, match="too_many"):
        for _ in range(3 * 400):
            limits.count_answer(SCHOOL)
    assert rate_limits.JOINED_ROOM.amount < rooms.MAX_STUDENTS


def test_answers_of_one_network_are_limited(
    serve, here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "ANSWERED", RateLimitItemPerMinute(2))
    code, teacher = opened
    _, question = here.call(f"{code}/questions", teacher, CHOICE)

    def answer(server: Server) -> int:
        path = f"{code}/questions/{question['id']}/answer"
        return server.call(path, join(server, code), {"round": 1, "answer": 0})[0]

    assert [answer(here) for _ in range(3)] == [200, 200, 429]
    assert answer(serve("203.0.113.5")) == 200


def test_a_week_of_guesses_finds_no_room() -> None:
    guesses = 7 * 24 * 60 * rate_limits.ALL_GUESSES.amount
    codes = 9 * 10 ** (CODE_DIGITS - 1)
    assert guesses * rate_limits.ALL_OPENED.amount / codes < 0.01


def test_views_are_computed_as_a_visitor_and_few_at_a_time(
    here: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client with many requests blocks neither threads nor the queue for other clients."""
    computing, done = Semaphore(0), Event()
    visitors: list[object] = []

    def describe_view(view: str) -> dict:
        visitors.append(forward_queue._visitor.get())
        computing.release()
        if view == "/layers":
            assert done.wait(30)
        return {}

    monkeypatch.setattr("web.rooms.api.question_builder.describe_view", describe_view)

    def describe(server: Server, view: str) -> int:
        return server.call(f"/about?view={view}", method="GET")[0]

    here.call("")  # loads the API in the event loop of the first client
    n_requests = service.MODEL_THREADS + 2
    with ThreadPoolExecutor(n_requests) as browsers:
        flood = [browsers.submit(describe, here, "/layers") for _ in range(n_requests)]
        for _ in range(service.MODEL_REQUESTS):
            assert computing.acquire(timeout=30)
        neighbour = TestClient(here.client.app, base_url="http://localhost:8501")
        assert describe(Server(neighbour), "/heads") == 200
        assert len(visitors) == service.MODEL_REQUESTS + 1
        done.set()
        assert [each.result(30) for each in flood] == [200] * n_requests
    assert set(visitors) == {(SCHOOL, ""), ("testclient", "")}


def test_guesses_of_all_networks_are_limited() -> None:
    limits = rate_limits.RateLimits()
    for number in range(rate_limits.ALL_GUESSES.amount):
        assert limits.may_guess("192.0.2.1")
        limits.count_guess(f"10.0.{number // 200}.{number % 200}")
    assert not limits.may_guess("192.0.2.1")


def test_the_number_of_new_rooms_is_limited(
    serve, here: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(rate_limits.OPENED.amount):
        assert here.call("")[0] == 200
    assert here.call("") == (429, {"error": "too_many_hour"})
    monkeypatch.setattr(rate_limits, "ALL_OPENED", RateLimitItemPerDay(1))
    server = serve()
    assert server.call("")[0] == 200
    assert server.call("") == (429, {"error": "too_many_day"})


def test_each_limit_says_when_to_try_again() -> None:
    said = {reason: page_messages()[f"error_{reason}"] for reason in rate_limits.REASONS.values()}
    assert "in a minute" in said["too_many"]
    assert "in an hour" in said["too_many_hour"]
    assert "tomorrow" in said["too_many_day"] and "minute" not in said["too_many_day"]


def test_the_teacher_saves_all_data_of_an_open_and_of_an_ended_room(
    here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    ada = join(here, code)
    assert here.call(f"{code}/name", ada, {"name": "Ada"})[0] == 204
    assert here.call(f"{code}/view", teacher, {"address": "/heads?text=a"})[0] == 204
    for _ in ("open", "ended"):
        headers = {"authorization": f"Bearer {teacher}"}
        response = here.client.get(f"/api/rooms{code}/data.zip", headers=headers)
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/zip"
        assert response.headers["cache-control"] == "no-store"
        with ZipFile(io.BytesIO(response.content)) as archive:
            assert archive.namelist() == ["results.csv", "lesson.csv", "room.json"]
            stored = json.loads(archive.read("room.json"))
        assert stored["room"]["view"] == "/heads?text=a"
        assert stored["students"] == [{"number": 1, "name": "Ada", "note": None}]
        here.call(code, teacher, method="DELETE")
    assert here.call(f"{code}/data", teacher, method="DELETE")[0] == 204
    assert here.call(f"{code}/data.zip", teacher, method="GET") == (404, {"error": "unknown"})


def test_addresses_of_one_network_share_a_limit() -> None:
    assert network("2001:db8:0:1::7") == rate_limits.network("2001:db8:0:1:ffff::")
    assert network("2001:db8:0:1::7") != rate_limits.network("2001:db8:0:2::7")
    assert network("::ffff:192.0.2.7") == rate_limits.network("192.0.2.7")
    assert network("192.0.2.7") != rate_limits.network("192.0.2.8")
    assert network("a proxy's pipe") == "a proxy's pipe"


def test_a_request_from_another_site_is_refused(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    for origin in ("http://evil.example", "http://localhost:8502", "null"):
        assert here.call("", origin=origin) == (403, {"error": "forbidden"})
        assert here.call(f"{code}/join", origin=origin) == (403, {"error": "forbidden"})
        with pytest.raises(CLOSED), here.connect(code, teacher, origin=origin):
            pass
    with here.connect(code, teacher, origin="http://localhost:8501") as connection:
        connection.until(role="teacher")
    with pytest.raises(CLOSED), here.connect(code, teacher, host="evil.example"):
        pass


def test_a_socket_must_send_a_valid_token(here: Server, opened: tuple[str, str]) -> None:
    long = json.dumps({"token": "x" * live_socket.MAX_FIRST_MESSAGE})
    for first in ('{"token": "nonsense"}', '{"token": 7}', "[]", "{", long):
        with raw_socket(here, opened[0]) as socket:
            socket.send_text(first)
            reason = "forbidden" if "nonsense" in first else "bad"
            assert socket.receive_json() == {"error": reason}
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_text()
        assert closed.value.code == live_socket.POLICY_VIOLATION


def test_a_socket_without_a_token_is_closed(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_socket, "TOKEN_TIMEOUT", 0.05)
    with raw_socket(here, opened[0]) as socket:
        assert socket.receive_json() == {"error": "forbidden"}


def test_an_idle_socket_receives_a_ping(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_socket, "PING_INTERVAL", 0.05)
    with here.connect(*opened) as connection:
        connection.until(role="teacher")
        assert connection.socket.receive_json() == {"ping": True}


def test_a_connected_browser_sees_the_end_of_the_room(
    here: Server, where: Path, opened: tuple[str, str]
) -> None:
    database = Database(where)
    with database.write_transaction() as connection:
        connection.execute(update(Room).values(ends=time.time() + 0.5))
    database.close()
    with here.connect(*opened) as connection:
        connection.until(ended=False)
        connection.until(ended=True)


def test_two_tabs_are_one_student_and_a_seventh_closes_the_first(
    here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    student = join(here, code)
    with here.connect(code, teacher) as projector, ExitStack() as tabs:
        connections = [tabs.enter_context(here.connect(code, student)) for _ in range(7)]
        connections[-1].until(role="student")
        with pytest.raises(WebSocketDisconnect):
            connections[0].until(role="nobody")
        projector.until(connected=1)


@BOTH
def test_every_device_of_the_teacher_shows_what_one_has_collected(
    serve, here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    there = serve()
    ada = join(here, code)
    _, question = here.call(f"{code}/questions", teacher, CHOICE)
    number = f"{code}/questions/{question['id']}"
    results = {"label": "b", "question": question["id"]}
    assert here.call(f"{number}/answer", ada, {"round": 1, "answer": 0})[0] == 200
    assert here.call(f"{code}/collected", teacher, results) == (400, {"error": "bad"})  # open
    assert here.call(f"{number}/stop", teacher)[0] == 204
    assert here.call(f"{number}/sketches", teacher, method="GET") == (200, [])
    view = {"label": "<b>a</b>", "view": "/heads?text=%3Cb%3E"}
    with here.connect(code, teacher) as desk, there.connect(code, teacher) as projector:
        empty = projector.until(compared=[])["collected"]
        for body in (view, results):
            assert here.call(f"{code}/collected", teacher, body)[0] == 204
        _, listed = there.call(f"{code}/collected", teacher, method="GET")
        assert [each["label"] for each in listed] == ["<b>a</b>", "b"]
        first, second = (each["id"] for each in listed)
        assert here.call(f"{code}/collected/{second}", teacher, {"by": -1})[0] == 204
        assert here.call(f"{code}/collected/{second}", teacher, {"label": "c"})[0] == 204
        assert here.call(f"{code}/compared", teacher, {"items": [first, second]})[0] == 204
        for device in (desk, projector):
            while not (state := device.socket.receive_json()).get("compared"):
                pass
            assert state["collected"] != empty
            shown = state["compared"]
            assert [each["label"] for each in shown] == ["c", "<b>a</b>"]
            assert shown[0]["question"]["tally"] == [[0, 1]]
            assert "truth" not in shown[0]["question"]
            assert shown[1]["view"] == view["view"]
        assert there.call(f"{code}/compared", teacher, {"items": []})[0] == 204
        for device in (desk, projector):
            device.until(compared=[])
        assert there.call(f"{code}/collected/{first}", teacher, method="DELETE")[0] == 204
    with here.connect(code, ada) as student:
        assert {"collected", "compared"}.isdisjoint(student.until(ended=False))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/collected", {"label": "a", "view": "//example.org"}),
        ("/collected", {"label": "a", "view": None}),
        ("/collected", {"label": "a" * 121, "view": "/"}),
        ("/collected", {"label": 7, "view": "/"}),
        ("/collected", {"label": "a"}),
        ("/collected", {"label": "a", "question": True}),
        ("/collected", {"label": "a", "question": 2**31}),
        ("/collected", {"label": "a", "question": 1, "answer": "1"}),
        ("/collected/1", {}),
        ("/collected/1", {"by": 2}),
        ("/collected/1", {"by": 1.0}),
        ("/collected/99999999999", {"label": "a"}),
        ("/compared", {"items": None}),
        ("/compared", {"items": [0]}),
        ("/compared", {"items": ["1"]}),
        ("/compared", {"items": [1, 2, 3, 4]}),
    ],
)
def test_an_invalid_collection_is_refused(
    here: Server, opened: tuple[str, str], path: str, body: object
) -> None:
    code, teacher = opened
    assert here.call(f"{code}{path}", teacher, body) == (400, {"error": "bad"})


@BOTH
def test_two_processes_share_a_room(serve, here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    there = serve()
    student = join(there, code)
    with here.connect(code, teacher) as projector, there.connect(code, student) as first:
        projector.until(connected=1)
        here.call(f"{code}/view", teacher, {"address": "/heads"})
        first.until(view="/heads")
        _, question = here.call(f"{code}/questions", teacher, CHOICE)
        first.until(q_id=question["id"])
        answer = f"{code}/questions/{question['id']}/answer"
        assert there.call(answer, student, {"round": 1, "answer": 1})[0] == 200
        projector.until(q_tally=[[1, 1]])
    with here.connect(code, teacher) as projector:
        projector.until(connected=0)


def test_the_start_of_the_server_does_not_import_the_database() -> None:
    code = "import sys, web.rooms.api.app; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_every_endpoint_is_404_if_rooms_are_off(
    here: Server, where: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_settings", Settings(rooms=False, **storage_settings(where)))
    for method, path, body in [*TEACHER_REQUESTS, ("POST", "/join", None)]:
        assert here.call(f"/12345678{path}", "", body, method) == (404, "Not found")
    assert here.call("") == (404, "Not found")
    with pytest.raises(CLOSED), here.connect("/12345678", "token"):
        pass
    if isinstance(where, Path):
        assert not where.parent.exists()


def test_a_foreign_lock_fails_waiting_writes_together_and_delays_no_reads(
    here: Server, where: Path, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, teacher = opened
    waits: list[str] = []
    store_join = rooms.join

    def wait_and_join(database: Database, code: str) -> str:
        waits.append(code)
        return store_join(database, code)

    monkeypatch.setattr(rooms, "join", wait_and_join)
    foreign = sqlite3.connect(where, isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(12) as browsers:
        joins = [browsers.submit(here.call, f"{code}/join") for _ in range(12)]
        while not waits:
            time.sleep(0.01)
        assert here.call(f"{code}/summary", teacher, method="GET")[0] == 200
        assert not any(each.done() for each in joins)
        assert {each.result()[0] for each in joins} == {503}
        assert joins[0].result()[1] == {"error": "database"}
    assert len(waits) < 6  # each waits for seconds
    foreign.execute("ROLLBACK")
    foreign.close()
    join(here, code)


def test_an_unavailable_database_is_a_503_and_the_log_has_the_reason(
    serve, monkeypatch, tmp_path, caplog
) -> None:
    (tmp_path / "file").touch()
    for where, words in [
        (tmp_path / "file" / "rooms.sqlite", "FileExistsError"),
        ("postgresql://nobody@/none?host=/nowhere", "OperationalError"),
        ("mysql://localhost/rooms", "HEADLIGHT_DATABASE names no PostgreSQL database"),
        ("nonsense", "HEADLIGHT_DATABASE is no database's address"),
    ]:
        monkeypatch.setattr(settings, "_settings", Settings(**storage_settings(where)))
        assert serve().call("") == (503, {"error": "database"})
        assert words in caplog.text
        caplog.clear()
