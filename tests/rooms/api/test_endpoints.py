"""HTTP and WebSocket API of the rooms: permissions, rate limits, and the states that are sent."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Semaphore

import pytest
from limits import RateLimitItemPerDay, RateLimitItemPerMinute
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect
from starlette_compress import CompressMiddleware

from model.questions import Question
from rooms.api import live_socket, question_builder, rate_limits, service
from rooms.api.app import RoomsApp, Site
from rooms.store.errors import RoomError
from tests.rooms.conftest import storage_settings
from web import settings
from web.inference import forward_queue
from web.server.request_guard import RequestGuardMiddleware
from web.settings import Settings

SCHOOL = "198.51.100.7"
CHOICE = {"kind": "choice", "prompt": "<b>which</b>?", "view": "/heads?text=%3Cb%3E"}
CLOSED = (WebSocketDisconnect, WebSocketDenialResponse)
PLAN = {"lesson": "masks", "title": "Masks", "views": ["/?lesson=masks.1", "/layers?b"]}
SITE = Site(lambda path, part: None, {"masks": PLAN}.get)
ITEMS, TRUTH = {"options": ["a", "b", "c"]}, {"right": [2]}
ASKED = Question("choice", ITEMS, TRUTH)


class Server:
    """The rooms of one server process, called as a browser does."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def call(self, path: str, token: str = "", body: object = None, method: str = "POST", **more):
        """Return the status, and the JSON or the text of the response."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        headers |= {name: value for name, value in more.items() if value}
        address = f"/api/rooms{path}"
        response = self.client.request(method, address, json=body or {}, headers=headers)
        assert response.headers["x-content-type-options"] == "nosniff"
        kind = response.headers.get("content-type", "")
        return response.status_code, response.json() if "json" in kind else response.text

    @contextmanager
    def connect(self, code: str, token: str | None, **more: str) -> Iterator["Connection"]:
        path = f"/api/rooms{code}/live"
        headers = {"host": "localhost:8501", **more}
        own = [token] if token else None
        with self.client.websocket_connect(path, own, headers=headers) as socket:
            yield Connection(socket)


class Connection:
    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket

    def until(self, **expected: object) -> dict:
        """Return the first state with these values; the prefix ``q_`` means the question's."""
        while True:
            state = self.socket.receive_json()
            question = state.get("question") or {}
            seen = {**state, **{f"q_{name}": value for name, value in question.items()}}
            if all(name in seen and seen[name] == value for name, value in expected.items()):
                return state


@pytest.fixture
def serve(where: Path | str, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """Return a function that starts the rooms of a process; all share one database."""
    monkeypatch.setattr(
        settings, "_settings", Settings(address="0.0.0.0", **storage_settings(where))
    )
    monkeypatch.setattr(question_builder, "build_question", lambda site, body: ASKED)
    with ExitStack() as running:

        def start(address: str = SCHOOL) -> Server:
            api = RoomsApp(lambda: SITE)
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
    assert status == 200 and room.keys() == {"code", "teacher"}
    return f"/{room['code']}", room["teacher"]


def join(server: Server, code: str) -> str:
    status, joined = server.call(f"{code}/join")
    assert status == 200, joined
    with server.connect(code, joined["student"]) as connection:
        connection.until(role="student")
    return joined["student"]


def test_a_lesson_from_joining_to_the_results(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    ada, ben = join(here, code), join(here, code)
    assert here.call(f"{code}/join", ada) == (200, {"student": ada})
    with here.connect(code, teacher) as projector, here.connect(code, ben) as second:
        projector.until(students=2, view=None)
        view = "/layers?text=%D1%82&head=3"
        assert here.call(f"{code}/view", teacher, {"address": view}) == (204, "")
        assert projector.until(change=1)["view"] == second.until(change=1)["view"] == view
        assert here.call(f"{code}/mode", teacher, {"mode": "free"})[0] == 204
        assert second.until(mode="free")["role"] == "student"

        status, question = here.call(f"{code}/questions", teacher, CHOICE)
        number = f"{code}/questions/{question['id']}"
        seen = second.until(q_id=question["id"])["question"]
        assert (status, seen["prompt"], seen["items"]) == (200, "<b>which</b>?", ITEMS)
        assert {"truth", "tally", "earlier", "n_answers"}.isdisjoint(seen)
        assert here.call(f"{number}/answer", ada, answer(2)) == (200, {"answer": 2})
        assert here.call(f"{number}/answer", ada, answer(0)) == (409, {"answer": 2})
        shown = projector.until(q_n_answers=1)
        assert shown["question"]["tally"] == [[2, 1]]
        assert here.call(f"{number}/stop", teacher)[0] == 204
        assert {"truth", "tally"}.isdisjoint(second.until(q_state="stopped")["question"])
        assert here.call(f"{number}/reveal", teacher)[0] == 204
        seen = second.until(q_state="revealed")["question"]
        assert (seen["truth"], seen["tally"], seen["answered"]) == (TRUTH, [[2, 1]], None)
        assert here.call(f"{number}/answer", ben, answer(2)) == (409, {"error": "closed"})
        assert here.call(f"{number}/again", teacher)[0] == 204
        assert "truth" not in second.until(q_round=2)["question"]
        assert here.call(f"{number}/close", teacher)[0] == 204
        assert second.until(question=None)["view"] == view
        assert here.call(code, teacher, method="DELETE")[0] == 204
        projector.until(ended=True)
    assert here.call(f"{code}/join") == (410, {"error": "ended"})
    status, table = here.call(f"{code}/results.csv", teacher, method="GET")
    assert status == 200 and len(table.splitlines()) == 3  # an answer, and a round without one
    assert here.call(f"{code}/data", teacher, method="DELETE")[0] == 204
    assert here.call(f"{code}/results.csv", teacher, method="GET") == (404, {"error": "unknown"})


def answer(given: int) -> dict[str, int]:
    return {"round": 1, "answer": given}


TEACHER_REQUESTS = [
    ("POST", "/view", {"address": "/"}),
    ("POST", "/mode", {"mode": "free"}),
    ("GET", "/about?view=/", None),
    ("POST", "/questions", CHOICE),
    *(("POST", f"/questions/1/{act}", None) for act in ("stop", "reveal", "again", "close")),
    ("GET", "/results.csv", None),
    ("POST", "/plan", {"lesson": None}),
    ("DELETE", "", None),
    ("DELETE", "/data", None),
]


def test_only_the_teacher_may_change_a_room(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    assert here.call(f"{code}/questions", teacher, CHOICE)[0] == 200
    _, elsewhere = here.call("")
    for token in (join(here, code), elsewhere["teacher"], "", "nonsense"):
        for method, path, body in TEACHER_REQUESTS:
            refused = here.call(f"{code}{path}", token, body, method)
            assert refused == (403, {"error": "forbidden"}), path
    for path, body in (("questions/1/answer", answer(0)), ("work", WORK)):
        assert here.call(f"{code}/{path}", teacher, body) == (403, {"error": "forbidden"})
    with here.connect(code, join(here, code)) as connection:
        connection.until(ended=False, q_state="open")


WORK = {"lesson": "masks", "step": 1, "answer": "dog", "right": True}


INVALID_VIEWS = (
    *("//evil.example/", "/\\evil.example", "https://evil.example/"),
    *("", "/layers?a b", "/layers#x", "/layers?\u0000", "/layers?\ud800"),
    *("/?" + "x" * 8000, None, 7),
)


def test_invalid_input_is_refused(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, teacher = opened
    student = join(here, code)
    # A browser can send a lone surrogate.
    wrong = [("view", json.dumps({"address": address}).encode()) for address in INVALID_VIEWS]
    long = b" " * 200_000 + b'{"mode": "free"}'
    for body in (b"", b"[]", b'{"mode": 1}', b'{"mode": NaN}', b"\xff", b"[" * 50_000, long):
        wrong.append(("mode", body))
    for plan in (
        {"lesson": "none"},
        {"lesson": 7},
        {"lesson": "masks", "step": 3},
        {"step": 2**63},
    ):
        wrong.append(("plan", json.dumps(plan).encode()))
    for ask in ({"kind": "other"}, {"prompt": None}, {"prompt": "x" * 501}, {"view": "//x"}):
        wrong.append(("questions", json.dumps({**CHOICE, **ask}).encode()))
    bad = [{"step": "1"}, {"step": True}, {"right": "yes"}, {"answer": "x" * 81}]
    for change in (*bad, {"lesson": 7}, {"lesson": "x" * 81}, {"step": 1e99}):
        wrong.append(("work", json.dumps({**WORK, **change}).encode()))
    for path, body in wrong:
        headers = {"authorization": f"Bearer {student if path == 'work' else teacher}"}
        answer = here.client.post(f"/api/rooms{code}/{path}", content=body, headers=headers)
        assert (answer.status_code, answer.json()) == (400, {"error": "bad"}), (path, body[:40])


def test_guesses_are_limited_and_members_and_other_networks_are_not(
    serve, here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    student = join(here, code)
    codes = (f"/{number}" for number in count(10_000_001) if f"/{number}" != code)
    for _ in range(rate_limits.GUESSES.amount):
        assert here.call(f"{next(codes)}/join") == (404, {"error": "unknown"})
    enough = (429, {"error": "too_many"})
    # Every request gets the same response for a right and a wrong code.
    for guess in (code, next(codes)):
        assert here.call(f"{guess}/join") == enough
        assert here.call(f"{guess}/view", "nonsense", {"address": "/"}) == enough
        assert here.call(guess, method="DELETE") == enough
        with here.connect(guess, "nonsense") as connection:
            assert connection.socket.receive_json() == {"error": "too_many"}
    assert here.call(f"{code}/join", student) == (200, {"student": student})
    assert here.call(f"{code}/view", teacher, {"address": "/"})[0] == 204
    with here.connect(code, student) as connection:
        connection.until(change=1)
    join(serve("192.0.2.1"), code)


def test_one_network_can_neither_fill_a_room_nor_join_without_end(
    serve, here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "JOINED", RateLimitItemPerMinute(4))
    monkeypatch.setattr(rate_limits, "JOINED_ROOM", RateLimitItemPerDay(3))
    code, other = opened[0], f"/{here.call('')[1]['code']}"
    unused = [here.call(f"{code}/join")[1]["student"] for _ in range(5)]  # not counted

    def enter(code: str, token: str) -> str:
        with here.connect(code, token) as connection:
            state = connection.socket.receive_json()
            return state.get("role") or state["error"]

    assert here.call(f"{code}/questions/1/answer", unused[0], answer(0))[0] == 403
    assert [enter(other, token) for token in unused] == ["forbidden"] * 5  # of another room
    assert [enter(code, token) for token in unused[:4]] == ["student"] * 3 + ["too_many"]
    joined = [here.call(f"{other}/join")[1]["student"] for _ in range(2)]
    assert [enter(other, token) for token in joined] == ["student", "too_many"]
    join(serve("203.0.113.5"), code)
    for limit in ("OPENED", "ALL_OPENED"):
        with monkeypatch.context() as lower:
            lower.setattr(rate_limits, limit, RateLimitItemPerDay(1))
            server = serve()
            assert [server.call("")[0] for _ in range(2)] == [200, 429]


def test_a_school_fits_into_the_limits_and_a_flood_does_not() -> None:
    limits, students = rate_limits.RateLimits(), count()
    for count_one, fit, many in (
        (lambda: limits.count_student("1", SCHOOL), 400, 600),
        (lambda: limits.count_answer(SCHOOL, next(students) % 400), 6 * 400, 3 * 400),
        (lambda: limits.count_answer("192.0.2.1", -1), 30, 60),  # one student
    ):
        for _ in range(fit):
            count_one()
        with pytest.raises(RoomError, match="too_many"):
            for _ in range(many):
                count_one()


def test_views_are_computed_as_a_visitor_and_few_at_a_time(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, teacher = opened
    computing, done, visitors = Semaphore(0), Event(), list[object]()

    def describe_view(site: Site, view: str) -> dict:
        visitors.append(forward_queue._visitor.get()[0])
        computing.release()
        assert view == "/heads" or done.wait(30)
        return {}

    monkeypatch.setattr(question_builder, "describe_view", describe_view)

    def describe(server: Server, view: str) -> int:
        return server.call(f"{code}/about?view={view}", teacher, method="GET")[0]

    neighbour = Server(TestClient(here.client.app, base_url="http://localhost:8501"))
    n_requests = service.MODEL_THREADS + 2
    with ThreadPoolExecutor(n_requests) as browsers:
        flood = [browsers.submit(describe, here, "/layers") for _ in range(n_requests)]
        for _ in range(service.MODEL_REQUESTS):
            assert computing.acquire(timeout=30)
        assert describe(neighbour, "/heads") == 200
        assert len(visitors) == service.MODEL_REQUESTS + 1
        done.set()
        assert [each.result(30) for each in flood] == [200] * n_requests
    assert set(visitors) == {SCHOOL, "testclient"}


def test_a_request_from_another_site_is_refused(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    for origin in ("http://evil.example", "http://localhost:8502", "null"):
        assert here.call("", origin=origin) == (403, {"error": "forbidden"})
        assert here.call(f"{code}/join", origin=origin) == (403, {"error": "forbidden"})
        with pytest.raises(CLOSED), here.connect(code, teacher, origin=origin):
            pass
    with here.connect(code, teacher, origin="http://localhost:8501") as connection:
        connection.until(role="teacher")


def test_a_socket_must_have_a_valid_token_and_receives_pings(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in ("nonsense", None, "x" * 1000):
        with here.connect(opened[0], token) as connection:
            assert connection.socket.receive_json() == {"error": "forbidden"}
            with pytest.raises(WebSocketDisconnect) as closed:
                connection.socket.receive_text()
        assert closed.value.code == live_socket.POLICY_VIOLATION
    monkeypatch.setattr(live_socket, "PING_INTERVAL", 0.05)
    with here.connect(*opened) as connection:
        connection.until(role="teacher")
        assert connection.socket.receive_json() == {"ping": True}


def test_two_processes_share_a_room(serve, here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    there = serve()
    with here.connect(code, teacher) as projector, there.connect(code, join(there, code)) as tab:
        projector.until(students=1)
        here.call(f"{code}/view", teacher, {"address": "/heads"})
        tab.until(view="/heads")


def test_every_endpoint_is_404_if_rooms_are_off(
    here: Server, where: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_settings", Settings(rooms=False, **storage_settings(where)))
    for method, path, body in [*TEACHER_REQUESTS, ("POST", "/join", None)]:
        assert here.call(f"/12345678{path}", "", body, method) == (404, "Not found")
    with pytest.raises(CLOSED), here.connect("/12345678", "token"):
        pass
    assert not isinstance(where, Path) or not where.parent.exists()


def test_an_unavailable_database_is_a_503_and_the_log_has_the_reason(
    serve, monkeypatch, caplog
) -> None:
    for where, words in [
        ("postgresql://nobody@/none?host=/nowhere", "OperationalError"),
        ("mysql://localhost/rooms", "HEADLIGHT_DATABASE names no PostgreSQL database"),
        (Path("/dev/null/rooms.sqlite"), "/dev/null/rooms.sqlite cannot be used"),
    ]:
        monkeypatch.setattr(settings, "_settings", Settings(**storage_settings(where)))
        assert serve().call("") == (503, {"error": "database"})
        assert words in caplog.text
