"""Rooms as a server answers for them: who may do what, how often, and what the lines carry."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import update
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from classroom.database import Database
from classroom.tables import Room
from model import HeadlightError
from pages.classroom import api, limits, live
from pages.classroom.desk import Desk
from pages.shared import settings
from pages.shared.compressed import Compressed
from pages.shared.guard import Guard
from pages.shared.settings import Settings
from tests.classroom.conftest import BOTH, kept_in

SCHOOL = "198.51.100.7"
CHOICE = {"kind": "choice", "prompt": "<b>which</b>?", "view": "/heads?text=%3Cb%3E"}
CLOSED = (WebSocketDisconnect, WebSocketDenialResponse)
ITEMS, TRUTH = {"options": ["a", "b", "c"]}, {"right": [2]}


class Server:
    """One server process's part, as browsers reach it."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def ask(self, path: str, token: str = "", said: object = None, method: str = "POST", **more):
        """Status and JSON; text where it is none."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        headers |= {name: value for name, value in more.items() if value}
        answer = self.client.request(method, f"/api/rooms{path}", json=said, headers=headers)
        assert answer.headers["x-content-type-options"] == "nosniff"
        kind = answer.headers.get("content-type", "")
        return answer.status_code, answer.json() if "json" in kind else answer.text

    @contextmanager
    def listening(self, code: str, token: str, **more: str) -> Iterator["Line"]:
        path = f"/api/rooms{code}/live"
        headers = {"host": "localhost:8501", **more}
        with self.client.websocket_connect(path, headers=headers) as socket:
            socket.send_json({"token": token})
            yield Line(socket)


def wire(server: Server, code: str):
    """A line on which nothing was said yet."""
    headers = {"host": "localhost:8501"}
    return server.client.websocket_connect(f"/api/rooms{code}/live", headers=headers)


class Line:
    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket

    def until(self, **expected: object) -> dict:
        """The first state that says so; of a question's with a leading ``q_``."""
        while True:
            said = self.socket.receive_json()
            question = said.get("question") or {}
            found = {name: (question if name[:2] == "q_" else said) for name in expected}
            if all(
                found[name].get(name.removeprefix("q_")) == value
                for name, value in expected.items()
            ):
                return said


@pytest.fixture
def serve(where: Path | str, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """Begin a server process's part; several of them share the database."""
    monkeypatch.setattr(settings, "_settings", Settings(address="0.0.0.0", **kept_in(where)))
    monkeypatch.setattr(api, "_prepared", prepared)
    with ExitStack() as running:

        def begin(address: str = SCHOOL) -> Server:
            desk = Desk()
            app = Starlette(
                routes=api.routes(desk),
                middleware=[Middleware(Guard), Middleware(Compressed)],
                lifespan=lambda app: desk.running(),
            )
            client = TestClient(app, base_url="http://localhost:8501", client=(address, 5))
            return Server(running.enter_context(client))

        yield begin


def prepared(asked: dict) -> tuple[dict, dict]:
    """In place of the model's numbers."""
    return ITEMS, TRUTH


@pytest.fixture
def here(serve) -> Server:
    return serve()


@pytest.fixture
def opened(here: Server) -> tuple[str, str]:
    """A new room's code and its teacher's token."""
    status, room = here.ask("")
    assert status == 200 and room.keys() == {"code", "teacher", "ends"}
    return f"/{room['code']}", room["teacher"]


def join(server: Server, code: str) -> str:
    status, joined = server.ask(f"{code}/join")
    assert status == 200, joined
    return joined["student"]


@BOTH
def test_a_lesson(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    ada, ben = join(here, code), join(here, code)
    assert here.ask(f"{code}/join", ada) == (200, {"student": ada})
    with (
        here.listening(code, teacher) as projector,
        here.listening(code, ada) as hers,
        here.listening(code, ben) as his,
    ):
        projector.until(connected=2, view=None)
        view = {"address": "/layers?text=%D1%82&head=3"}
        assert here.ask(f"{code}/view", teacher, view) == (204, "")
        for line in (projector, hers, his):
            assert line.until(change=1)["view"] == view["address"]
        assert here.ask(f"{code}/lock", teacher, {"locked": True})[0] == 204
        assert hers.until(locked=True)["role"] == "student"

        status, asked = here.ask(f"{code}/questions", teacher, CHOICE)
        number = f"{code}/questions/{asked['id']}"
        assert status == 200
        seen = his.until(q_id=asked["id"])["question"]
        assert seen["prompt"] == "<b>which</b>?" and seen["items"] == ITEMS
        assert {"truth", "tally", "earlier", "n_answers"}.isdisjoint(seen)

        said = {"round": 1, "answer": 2}
        assert here.ask(f"{number}/answer", ada, said) == (200, {"answer": 2})
        assert here.ask(f"{number}/answer", ada, said) == (200, {"answer": 2})
        other = {"round": 1, "answer": 0}
        assert here.ask(f"{number}/answer", ada, other) == (409, {"answer": 2})
        assert projector.until(q_n_answers=1)["question"]["tally"] == [[2, 1]]
        assert "tally" not in hers.until(q_answered=2)["question"]

        assert here.ask(f"{number}/reveal", teacher)[0] == 204
        seen = his.until(q_state="revealed")["question"]
        assert (seen["truth"], seen["tally"], seen["answered"]) == (TRUTH, [[2, 1]], None)
        assert here.ask(f"{number}/answer", ben, said) == (409, {"error": "closed"})

        assert here.ask(f"{number}/again", teacher)[0] == 204
        assert "truth" not in his.until(q_round=2)["question"]
        assert here.ask(f"{number}/answer", ben, {"round": 2, "answer": 1})[0] == 200
        seen = projector.until(q_round=2, q_n_answers=1)["question"]
        assert (seen["tally"], seen["earlier"]) == ([[1, 1]], [[[2, 1]]])
        assert here.ask(f"{number}/close", teacher)[0] == 204
        assert his.until(question=None)["view"] == view["address"]

        status, lines = here.ask(f"{code}/results.csv", teacher, method="GET")
        assert status == 200 and len(lines.splitlines()) == 3
        status, told = here.ask(f"{code}/summary", teacher, method="GET")
        assert told["questions"][0]["rounds"] == [[[2, 1]], [[1, 1]]]

        assert here.ask(code, teacher, method="DELETE")[0] == 204
        for line in (projector, hers, his):
            line.until(ended=True)
    assert here.ask(f"{code}/join") == (410, {"error": "ended"})
    assert here.ask(f"{code}/view", teacher, view) == (410, {"error": "ended"})
    assert here.ask(f"{code}/summary", teacher, method="GET")[0] == 200
    with here.listening(code, ada) as late:
        late.until(ended=True)


TEACHERS = [
    ("POST", "/view", {"address": "/"}),
    ("POST", "/lock", {"locked": True}),
    ("POST", "/questions", CHOICE),
    ("POST", "/questions/1/reveal", None),
    ("POST", "/questions/1/again", None),
    ("POST", "/questions/1/close", None),
    ("GET", "/results.csv", None),
    ("GET", "/summary", None),
    ("DELETE", "", None),
]


def test_a_student_cannot_act_as_the_teacher(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    assert here.ask(f"{code}/questions", teacher, CHOICE)[0] == 200
    _, elsewhere = here.ask("")
    for token in (join(here, code), elsewhere["teacher"], "", "nonsense"):
        for method, path, said in TEACHERS:
            refused = here.ask(f"{code}{path}", token, said, method)
            assert refused == (403, {"error": "forbidden"}), path
    answered = here.ask(f"{code}/questions/1/answer", teacher, {"round": 1, "answer": 0})
    assert answered == (403, {"error": "forbidden"})
    with here.listening(code, join(here, code)) as line:
        assert line.until(ended=False)["question"]["state"] == "open"


ELSEWHERE = (
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


def test_a_view_is_of_this_site(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    headers = {"authorization": f"Bearer {teacher}"}
    for address in ELSEWHERE:
        said = json.dumps({"address": address})  # as a browser writes it, a lone surrogate too
        answer = here.client.post(f"/api/rooms{code}/view", content=said, headers=headers)
        assert (answer.status_code, answer.json()) == (400, {"error": "bad"}), address


def test_what_is_no_request_is_refused(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    headers = {"authorization": f"Bearer {teacher}"}
    wrong = [b"", b"no json", b"[]", b'{"locked": 1}', b'{"locked": NaN}', b"\xff"]
    for said in (*wrong, b"[" * 50_000, b" " * 200_000 + b'{"locked": true}'):
        answer = here.client.post(f"/api/rooms{code}/lock", content=said, headers=headers)
        assert (answer.status_code, answer.json()) == (400, {"error": "bad"}), said[:20]


def test_a_question_that_the_model_refuses_is_refused_in_words(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, teacher = opened
    monkeypatch.undo()  # the words are made by what was replaced
    monkeypatch.setattr(settings, "_settings", Settings(address="0.0.0.0"))

    def refuse(asked: dict) -> None:
        raise HeadlightError("There is no {token}.", token="{head}")

    monkeypatch.setattr("pages.classroom.truth.prepared", refuse)
    refused = here.ask(f"{code}/questions", teacher, CHOICE)
    assert refused == (400, {"error": "bad", "about": "There is no {head}."})
    for wrong in ({"kind": "other"}, {"prompt": None}, {"prompt": "x" * 501}, {"view": "//x"}):
        refused = here.ask(f"{code}/questions", teacher, {**CHOICE, **wrong})
        assert refused == (400, {"error": "bad"})


@BOTH
def test_a_school_may_join_at_once_and_nobody_may_guess(
    serve, here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    students = [join(here, code) for _ in range(300)]
    assert len(set(students)) == 300
    codes = (f"/{number}" for number in count(10_000_001) if f"/{number}" != code)
    for _ in range(limits.WRONG.amount):
        assert here.ask(f"{next(codes)}/join") == (404, {"error": "unknown"})
    enough = (429, {"error": "too_many"})
    assert here.ask(f"{next(codes)}/join") == enough
    # Nothing tells a right code from a wrong one now, by whatever way.
    for guess in (code, next(codes)):
        assert here.ask(f"{guess}/join") == enough
        assert here.ask(f"{guess}/view", "nonsense", {"address": "/"}) == enough
        assert here.ask(guess, method="DELETE") == enough
        with here.listening(guess, "nonsense") as line:
            assert line.socket.receive_json() == {"error": "too_many"}
    # Who is known is asked for nothing.
    assert here.ask(f"{code}/join", students[7]) == (200, {"student": students[7]})
    assert here.ask(f"{code}/view", teacher, {"address": "/"})[0] == 204
    with here.listening(code, students[7]) as line:
        line.until(change=1)


def test_all_guesses_together_are_limited(here: Server, opened: tuple[str, str]) -> None:
    desk = Desk()
    for number in range(limits.ALL_WRONG.amount):
        assert desk.limits.may_guess("192.0.2.1")
        desk.limits.wrong(f"10.0.{number // 200}.{number % 200}")
    assert not desk.limits.may_guess("192.0.2.1")


def test_rooms_are_not_opened_without_end(here: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(limits.OPENED.amount):
        assert here.ask("")[0] == 200
    assert here.ask("") == (429, {"error": "too_many"})


def test_a_network_of_addresses_is_one() -> None:
    assert limits.network("2001:db8:0:1::7") == limits.network("2001:db8:0:1:ffff::")
    assert limits.network("2001:db8:0:1::7") != limits.network("2001:db8:0:2::7")
    assert limits.network("::ffff:192.0.2.7") == limits.network("192.0.2.7")
    assert limits.network("192.0.2.7") != limits.network("192.0.2.8")
    assert limits.network("a proxy's pipe") == "a proxy's pipe"


def test_a_page_of_another_site_is_refused(here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    for origin in ("http://evil.example", "http://localhost:8502", "null"):
        assert here.ask("", origin=origin) == (403, {"error": "forbidden"})
        assert here.ask(f"{code}/join", origin=origin) == (403, {"error": "forbidden"})
        with pytest.raises(CLOSED), here.listening(code, teacher, origin=origin):
            pass
    with here.listening(code, teacher, origin="http://localhost:8501") as line:
        line.until(role="teacher")
    with pytest.raises(CLOSED), here.listening(code, teacher, host="evil.example"):
        pass


def test_a_line_begins_with_a_token(here: Server, opened: tuple[str, str]) -> None:
    long = json.dumps({"token": "x" * live.FIRST})
    for first in ('{"token": "nonsense"}', '{"token": 7}', "[]", "{", long):
        with wire(here, opened[0]) as socket:
            socket.send_text(first)
            reason = "forbidden" if "nonsense" in first else "bad"
            assert socket.receive_json() == {"error": reason}
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_text()
        assert closed.value.code == live.REFUSED


def test_whoever_says_nothing_is_let_go(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PATIENCE", 0.05)
    with wire(here, opened[0]) as socket:
        assert socket.receive_json() == {"error": "forbidden"}


def test_a_quiet_line_says_that_it_holds(
    here: Server, opened: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PING", 0.05)
    with here.listening(*opened) as line:
        line.until(role="teacher")
        assert line.socket.receive_json() == {"ping": True}


def test_a_day_ends_while_one_listens(here: Server, where: Path, opened: tuple[str, str]) -> None:
    database = Database(where)
    with database.writing() as connection:
        connection.execute(update(Room).values(ends=time.time() + 0.5))
    database.close()
    with here.listening(*opened) as line:
        line.until(ended=False)
        line.until(ended=True)


def test_two_windows_are_one_student_and_a_seventh_line_closes_the_first(
    here: Server, opened: tuple[str, str]
) -> None:
    code, teacher = opened
    student = join(here, code)
    with here.listening(code, teacher) as projector, ExitStack() as windows:
        lines = [windows.enter_context(here.listening(code, student)) for _ in range(7)]
        lines[-1].until(role="student")
        with pytest.raises(WebSocketDisconnect):
            lines[0].until(role="nobody")
        projector.until(connected=1)


@BOTH
def test_two_processes_share_a_room(serve, here: Server, opened: tuple[str, str]) -> None:
    code, teacher = opened
    there = serve()
    student = join(there, code)
    with here.listening(code, teacher) as projector, there.listening(code, student) as hers:
        projector.until(connected=1)
        here.ask(f"{code}/view", teacher, {"address": "/heads"})
        hers.until(view="/heads")
        _, asked = here.ask(f"{code}/questions", teacher, CHOICE)
        hers.until(q_id=asked["id"])
        answer = f"{code}/questions/{asked['id']}/answer"
        assert there.ask(answer, student, {"round": 1, "answer": 1})[0] == 200
        projector.until(q_tally=[[1, 1]])
    with here.listening(code, teacher) as projector:
        projector.until(connected=0)


def test_where_rooms_are_off_there_are_none(
    here: Server, where: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_settings", Settings(rooms=False, **kept_in(where)))
    for method, path, said in [*TEACHERS, ("POST", "/join", None)]:
        assert here.ask(f"/12345678{path}", "", said, method) == (404, "Not found")
    assert here.ask("") == (404, "Not found")
    with pytest.raises(CLOSED), here.listening("/12345678", "token"):
        pass
    if isinstance(where, Path):
        assert not where.parent.exists()


def test_a_database_that_is_not_to_be_had_is_said(serve, monkeypatch, tmp_path) -> None:
    (tmp_path / "file").touch()
    for where, words in [
        (tmp_path / "file" / "rooms.sqlite", "FileExistsError"),
        ("postgresql://nobody@/none?host=/nowhere", "OperationalError"),
        ("mysql://localhost/rooms", "HEADLIGHT_DATABASE names no PostgreSQL database"),
        ("nonsense", "HEADLIGHT_DATABASE is no database's address"),
    ]:
        monkeypatch.setattr(settings, "_settings", Settings(**kept_in(where)))
        refused = serve().ask("")
        assert refused == (503, {"error": "database", "about": words})
