"""HTTP endpoints of the rooms, with JSON requests and responses."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from rooms.api.app import PREFIX
from rooms.api.live_socket import serve_socket
from rooms.api.request_fields import bearer_token, parse_view, read_body
from rooms.api.service import RoomService
from rooms.api.site import Site
from rooms.store import lesson_work, questions, results, rooms
from rooms.store.errors import RoomError
from rooms.store.tokens import parse_join_code
from web import settings
from web.server.request_guard import client_address, is_cross_origin

if TYPE_CHECKING:
    from model.questions import Question

STATUS = {
    "unknown": 404,
    "ended": 410,
    "closed": 409,
    "forbidden": 403,
    "too_many": 429,
    "full": 403,
    "bad": 400,
    "database": 503,
}
"""HTTP status of each RoomError."""

MAX_PROMPT = 500
"""Characters."""

MAX_LESSON_NAME = 80
"""Characters."""

MAX_PAUSE = 300
"""Characters of the message of a pause."""

Endpoint = Callable[[RoomService, Request], Awaitable[Response]]


def routes(service: RoomService) -> list[BaseRoute]:
    """Return every route below ``/api/rooms``."""
    room, question = f"{PREFIX}/{{code}}", f"{PREFIX}/{{code}}/questions/{{question:int}}"

    def route(path: str, endpoint: Endpoint, method: str = "POST") -> Route:
        return Route(path, partial(_respond, service, endpoint), methods=[method])

    return [
        route(PREFIX, _open_room),
        route(room, _end_room, "DELETE"),
        route(f"{room}/join", _join),
        route(f"{room}/view", _set_view),
        route(f"{room}/data", _delete_room, "DELETE"),
        route(f"{room}/mode", _set_mode),
        route(f"{PREFIX}/about", _describe_view, "GET"),
        route(f"{room}/questions", _ask_question),
        route(f"{question}/answer", _store_answer),
        route(f"{question}/stop", partial(_change_question, change=questions.stop_answers)),
        route(f"{question}/reveal", partial(_change_question, change=questions.reveal)),
        route(f"{question}/again", partial(_change_question, change=questions.start_round)),
        route(f"{question}/close", partial(_change_question, change=questions.close_question)),
        route(f"{room}/results.csv", _results_csv, "GET"),
        route(f"{room}/plan", _set_plan),
        route(f"{room}/pause", _set_pause),
        route(f"{room}/preparing", _set_preparing),
        route(f"{room}/work", _store_work),
        WebSocketRoute(f"{room}/live", partial(serve_socket, service)),
    ]


async def _respond(service: RoomService, endpoint: Endpoint, request: Request) -> Response:
    """Return an endpoint's response, or its error; neither is cached."""
    try:
        if is_cross_origin(request.headers):
            raise RoomError("forbidden")
        response = await endpoint(service, request)
    except RoomError as error:
        # What the database reports is for the log.
        about = {"about": error.about} if error.about and error.reason == "bad" else {}
        content = {"error": error.reason, **about}
        response = JSONResponse(content, status_code=STATUS[error.reason])
    response.headers["cache-control"] = "no-store"
    return response


async def _open_room(service: RoomService, request: Request) -> Response:
    service.limits.count_opening(client_address(request.scope))
    opened = await service.write(rooms.open_room)
    return JSONResponse({"code": opened.code, "teacher": opened.teacher})


async def _join(service: RoomService, request: Request) -> Response:
    token, address = bearer_token(request), client_address(request.scope)
    return JSONResponse({"student": await service.join(_code(request), token, address)})


async def _set_view(service: RoomService, request: Request) -> Response:
    teacher = await _teacher(service, request)
    view = parse_view((await read_body(request)).get("address"))
    return await _change(service, teacher, rooms.set_view, view)


async def _set_mode(service: RoomService, request: Request) -> Response:
    teacher = await _teacher(service, request)
    mode = (await read_body(request)).get("mode")
    if mode not in rooms.MODES:
        raise RoomError("bad")
    return await _change(service, teacher, rooms.update_room, {"mode": mode})


async def _end_room(service: RoomService, request: Request) -> Response:
    return await _change(service, await _teacher(service, request), rooms.end_room)


async def _delete_room(service: RoomService, request: Request) -> Response:
    return await _change(service, await _teacher(service, request), rooms.delete_room)


async def _describe_view(service: RoomService, request: Request) -> Response:
    view = parse_view(request.query_params.get("view"))
    return JSONResponse(await service.compute(_network(request), _view_content, view))


async def _ask_question(service: RoomService, request: Request) -> Response:
    teacher = await _teacher(service, request)
    body = await read_body(request)
    prompt, view = _check_text(body.get("prompt"), MAX_PROMPT), parse_view(body.get("view"))
    if not prompt.strip():
        raise RoomError("bad")
    asked = await service.compute(_network(request), _build_question, body)
    question = await service.write(
        questions.ask_question,
        teacher.room,
        prompt=prompt,
        view=view,
        **asked,
    )
    service.broadcaster.notify(teacher.room)
    return JSONResponse({"id": question})


async def _store_answer(service: RoomService, request: Request) -> Response:
    room, student = await _student(service, request)
    service.limits.count_answer(client_address(request.scope), student)
    question, body = request.path_params["question"], await read_body(request)
    round_, answer = body.get("round"), body.get("answer")
    if type(round_) is not int:
        raise RoomError("bad")
    store = questions.store_answer
    stored, as_given = await service.write(
        store, room, question, student, round_=round_, answer=answer, judged=_judged
    )
    service.broadcaster.notify(room)
    return JSONResponse({"answer": stored}, status_code=200 if as_given else 409)


async def _change_question(
    service: RoomService, request: Request, *, change: Callable[..., None]
) -> Response:
    teacher = await _teacher(service, request)
    return await _change(service, teacher, change, request.path_params["question"])


async def _set_plan(service: RoomService, request: Request) -> Response:
    teacher = await _teacher(service, request)
    body = await read_body(request)
    lesson, step = body.get("lesson"), body.get("step")
    if not isinstance(lesson, str | None) or not (step is None or type(step) is int):
        raise RoomError("bad")
    plan = None
    if lesson is not None:
        plan = await service.compute(_network(request), _plan_of_lesson, lesson)
    await service.write(lesson_work.set_plan, teacher.room, plan, step)
    service.broadcaster.notify(teacher.room)
    return JSONResponse(plan or {})


async def _set_pause(service: RoomService, request: Request) -> Response:
    teacher = await _teacher(service, request)
    message = (await read_body(request)).get("message")
    if message is not None:
        _check_text(message, MAX_PAUSE)
    return await _change(service, teacher, rooms.update_room, {"paused": message})


async def _set_preparing(service: RoomService, request: Request) -> Response:
    teacher = await _teacher(service, request)
    preparing = (await read_body(request)).get("preparing")
    if type(preparing) is not bool:
        raise RoomError("bad")
    return await _change(service, teacher, rooms.update_room, {"preparing": preparing})


async def _store_work(service: RoomService, request: Request) -> Response:
    room, student = await _student(service, request)
    service.limits.count_answer(client_address(request.scope), student)
    body = await read_body(request)
    step, right = body.get("step"), body.get("right")
    if type(step) is not int or type(right) is not bool:
        raise RoomError("bad")
    await service.write(
        lesson_work.store_work,
        room,
        student,
        lesson=_check_text(body.get("lesson"), MAX_LESSON_NAME),
        step=step,
        answer=_check_text(body.get("answer"), lesson_work.MAX_ANSWER),
        right=right,
    )
    service.broadcaster.notify(room)
    return Response(status_code=204)


async def _results_csv(service: RoomService, request: Request) -> Response:
    teacher = await _teacher(service, request)
    # The browser's page knows the path of a proxy.
    site = urljoin(request.headers.get("referer", str(request.base_url)), ".")
    content = await service.read(results.results_csv, teacher.room, site, _judged)
    headers = {"content-disposition": 'attachment; filename="results.csv"'}
    return Response(content, media_type="text/csv", headers=headers)


async def _change(
    service: RoomService, teacher: rooms.Member, change: Callable[..., None], *args: Any
) -> Response:
    """Change the teacher's room and notify its browsers."""
    await service.write(change, teacher.room, *args)
    service.broadcaster.notify(teacher.room)
    return Response(status_code=204)


def _view_content(site: Site, view: str) -> dict[str, Any]:
    """Return what can be asked about a view; an empty dictionary if it cannot be shown."""
    from model.errors import HeadlightError
    from rooms.api.question_builder import describe_view

    try:
        return describe_view(site, view)
    except HeadlightError:
        return {}


def _build_question(site: Site, body: dict[str, Any]) -> dict[str, Any]:
    """Compute the fields of a question; RoomError ``bad``, in words, if the model refuses it."""
    from model.errors import HeadlightError
    from model.questions import KINDS
    from rooms.api.question_builder import build_question
    from web.language import in_words

    if body.get("kind") not in KINDS:
        raise RoomError("bad")
    try:
        return vars(build_question(site, body))
    except HeadlightError as error:
        raise RoomError("bad", in_words(error)) from error


def _judged(*question: Any) -> "Question":
    """Return a stored question; the first one imports the models, so call it in a thread."""
    from model.questions import Question

    return Question(*question)


def _plan_of_lesson(site: Site, lesson: str) -> dict[str, Any]:
    """Return a lesson's name, title and views; RoomError ``bad`` for an unknown lesson."""
    plan = site.lesson_plan(lesson)
    if plan is None:
        raise RoomError("bad")
    return plan


def _check_text(value: Any, most: int) -> str:
    """Return a text of at most that many characters; RoomError ``bad`` for anything else."""
    if not isinstance(value, str) or len(value) > most:
        raise RoomError("bad")
    return value


def _network(request: Request) -> str:
    return settings.network(client_address(request.scope))


def _code(request: Request) -> str:
    return parse_join_code(request.path_params["code"])


async def _teacher(service: RoomService, request: Request) -> rooms.Member:
    member = await _member(service, request)
    if member.student is not None:
        raise RoomError("forbidden")
    return member


async def _student(service: RoomService, request: Request) -> tuple[int, int]:
    """Return the ids of the room and of the student; RoomError ``forbidden`` for the teacher."""
    member = await _member(service, request)
    if member.student is None:
        raise RoomError("forbidden")
    return member.room, member.student


async def _member(service: RoomService, request: Request) -> rooms.Member:
    token, address = bearer_token(request), client_address(request.scope)
    return await service.find_member(_code(request), token or "", address)
