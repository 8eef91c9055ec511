"""Rooms over HTTP: who asks for what, and what is answered, in JSON."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from classroom.errors import RoomError
from classroom.kinds import KINDS
from classroom.secret import as_code
from pages.classroom.asked import address, body, checked_view, token
from pages.classroom.desk import Desk
from pages.classroom.live import live
from pages.shared import settings
from pages.shared.guard import from_elsewhere

if TYPE_CHECKING:
    from classroom.database import Database
    from classroom.rooms import Person

AT = "/api/rooms"

STATUS = {
    "unknown": 404,
    "ended": 410,
    "closed": 409,
    "forbidden": 403,
    "too_many": 429,
    "bad": 400,
    "database": 503,
}
"""Of every reason to refuse."""

MOST_PROMPT = 500
"""Characters of a prompt."""

TURNS = ("reveal", "again", "close")
"""What a question goes through."""

Handler = Callable[[Desk, Request], Awaitable[Response]]


async def _open(desk: Desk, request: Request) -> Response:
    if not desk.limits.may_open(address(request)):
        raise RoomError("too_many")

    def work(database: "Database") -> dict[str, Any]:
        from classroom.rooms import open_room
        from classroom.state import iso

        opened = open_room(database)
        return {"code": opened.code, "teacher": opened.teacher, "ends": iso(opened.ends)}

    return JSONResponse(await desk.call(work))


async def _join(desk: Desk, request: Request) -> Response:
    code = as_code(request.path_params["code"])
    student = await desk.join(code, token(request), address(request))
    return JSONResponse({"student": student})


async def _view(desk: Desk, request: Request) -> Response:
    teacher = await _teacher(desk, request)
    view = checked_view((await body(request)).get("address"))

    def work(database: "Database") -> None:
        from classroom.rooms import show

        show(database, teacher.room, view)

    return await _changed(desk, teacher, work)


async def _lock(desk: Desk, request: Request) -> Response:
    teacher = await _teacher(desk, request)
    locked = (await body(request)).get("locked")
    if not isinstance(locked, bool):
        raise RoomError("bad")

    def work(database: "Database") -> None:
        from classroom.rooms import lock

        lock(database, teacher.room, locked)

    return await _changed(desk, teacher, work)


async def _end(desk: Desk, request: Request) -> Response:
    teacher = await _teacher(desk, request)

    def work(database: "Database") -> None:
        from classroom.rooms import end

        end(database, teacher.room)

    return await _changed(desk, teacher, work)


async def _about(desk: Desk, request: Request) -> Response:
    await _teacher(desk, request)
    view = checked_view(request.query_params.get("view"))
    return JSONResponse(await run_in_threadpool(_told, view))


def _told(view: str) -> dict[str, Any]:
    """What can be asked of a view; nothing, where it cannot be shown."""
    from model.errors import SaidError
    from pages.classroom.truth import about

    try:
        return about(view)
    except SaidError:
        return {}


async def _ask(desk: Desk, request: Request) -> Response:
    teacher = await _teacher(desk, request)
    asked = await body(request)
    kind, prompt, view = asked.get("kind"), asked.get("prompt"), asked.get("view")
    if kind not in KINDS or not isinstance(prompt, str) or len(prompt) > MOST_PROMPT:
        raise RoomError("bad")
    view = None if view is None else checked_view(view)
    items, truth = await run_in_threadpool(_prepared, asked)

    def work(database: "Database") -> int:
        from classroom.questions import ask

        said = {"kind": kind, "prompt": prompt, "view": view}
        return ask(database, teacher.room, **said, items=items, truth=truth)

    number = await desk.call(work)
    desk.lines.changed(teacher.room)
    return JSONResponse({"id": number})


def _prepared(asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The model's own numbers for a question; in a thread, with what computes them."""
    # Not before: a fresh server answers while its models are still being imported.
    from model.errors import SaidError
    from pages.classroom.truth import prepared
    from pages.shared.language import in_words

    try:
        return prepared(asked)
    except SaidError as refused:
        raise RoomError("bad", in_words(refused)) from refused


async def _answer(desk: Desk, request: Request) -> Response:
    student = await _who(desk, request)
    if student.student is None:
        raise RoomError("forbidden")
    said = await body(request)
    round_, given, number = said.get("round"), said.get("answer"), student.student
    if type(round_) is not int:
        raise RoomError("bad")

    def work(database: "Database") -> tuple[Any, bool]:
        from classroom.questions import answer

        question = request.path_params["question"]
        return answer(database, student.room, question, number, round_=round_, given=given)

    kept, as_given = await desk.call(work)
    desk.lines.changed(student.room)
    return JSONResponse({"answer": kept}, status_code=200 if as_given else 409)


async def _turn(desk: Desk, request: Request, *, what: str) -> Response:
    teacher = await _teacher(desk, request)

    def work(database: "Database") -> None:
        from classroom import questions

        turns = {"reveal": questions.reveal, "again": questions.again, "close": questions.close}
        turns[what](database, teacher.room, request.path_params["question"])

    return await _changed(desk, teacher, work)


async def _results(desk: Desk, request: Request) -> Response:
    teacher = await _teacher(desk, request)

    def work(database: "Database") -> str:
        from classroom.results import table

        return table(database, teacher.room)

    headers = {"content-disposition": 'attachment; filename="results.csv"'}
    return Response(await desk.call(work), media_type="text/csv", headers=headers)


async def _summary(desk: Desk, request: Request) -> Response:
    teacher = await _teacher(desk, request)

    def work(database: "Database") -> dict[str, Any]:
        from classroom.results import summary

        return summary(database, teacher.room)

    return JSONResponse(await desk.call(work))


def routes(desk: Desk) -> list[BaseRoute]:
    """Everything under ``/api/rooms``."""
    room, question = f"{AT}/{{code}}", f"{AT}/{{code}}/questions/{{question:int}}"

    def at(path: str, handler: Handler, method: str = "POST") -> Route:
        return Route(path, partial(_answered, desk, handler), methods=[method])

    return [
        at(AT, _open),
        at(room, _end, "DELETE"),
        at(f"{room}/join", _join),
        at(f"{room}/view", _view),
        at(f"{room}/lock", _lock),
        at(f"{room}/about", _about, "GET"),
        at(f"{room}/questions", _ask),
        at(f"{question}/answer", _answer),
        *(at(f"{question}/{what}", partial(_turn, what=what)) for what in TURNS),
        at(f"{room}/results.csv", _results, "GET"),
        at(f"{room}/summary", _summary, "GET"),
        WebSocketRoute(f"{room}/live", partial(_lively, desk)),
    ]


async def _answered(desk: Desk, handler: Handler, request: Request) -> Response:
    """What a handler answers, or why it does not; kept by no browser and no proxy."""
    if not settings.now().rooms:
        return PlainTextResponse("Not found", status_code=404)
    try:
        if from_elsewhere(request.headers):
            raise RoomError("forbidden")
        answer = await handler(desk, request)
    except RoomError as refused:
        said = {"error": refused.reason, **({"about": refused.about} if refused.about else {})}
        answer = JSONResponse(said, status_code=STATUS[refused.reason])
    answer.headers["cache-control"] = "no-store"
    return answer


async def _lively(desk: Desk, socket: Any) -> None:
    await live(socket, desk)


async def _changed(desk: Desk, teacher: "Person", work: Callable[["Database"], None]) -> Response:
    await desk.call(work)
    desk.lines.changed(teacher.room)
    return Response(status_code=204)


async def _teacher(desk: Desk, request: Request) -> "Person":
    person = await _who(desk, request)
    if person.student is not None:
        raise RoomError("forbidden")
    return person


async def _who(desk: Desk, request: Request) -> "Person":
    code = as_code(request.path_params["code"])
    return await desk.who(code, token(request) or "", address(request))
