"""HTTP endpoints of the rooms, with JSON requests and responses."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import urljoin

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from rooms.api.app import PREFIX, Site
from rooms.api.live_socket import serve_socket
from rooms.api.request_fields import bearer_token, parse_view, read_body, typed
from rooms.api.service import RoomService
from rooms.store import lesson_work, questions, results, rooms
from rooms.store.errors import RoomError
from rooms.store.rooms import Member
from web import settings
from web.server.request_guard import client_address, is_cross_origin

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

Body = dict[str, Any]
Endpoint = Callable[[RoomService, Request, Member, Body], Awaitable[Response | None]]
"""Of a member; its body is empty unless the request is a POST. None: 204, without content."""


def routes(service: RoomService) -> list[BaseRoute]:
    """Return every route below ``/api/rooms``."""
    room, question = f"{PREFIX}/{{code}}", f"{PREFIX}/{{code}}/questions/{{question:int}}"

    def route(path: str, endpoint: Endpoint, method: str = "POST", role: str = "teacher") -> Route:
        return Route(
            path, partial(_respond, partial(_as, service, endpoint, role)), methods=[method]
        )

    def visit(path: str, endpoint: Callable[[RoomService, Request], Awaitable[Response]]) -> Route:
        return Route(path, partial(_respond, partial(endpoint, service)), methods=["POST"])

    return [
        visit(PREFIX, _open_room),
        visit(f"{room}/join", _join),
        route(f"{room}/about", _describe_view, "GET"),
        route(f"{room}/view", _show_view),
        route(f"{room}/mode", _set_mode),
        route(f"{room}/plan", _set_plan),
        route(f"{room}/work", _store_work, role="student"),
        route(f"{room}/questions", _ask_question),
        route(f"{question}/answer", _store_answer, role="student"),
        *(route(f"{question}/{name}", partial(_lead, action=name)) for name in questions.ACTIONS),
        route(f"{room}/results.csv", _results_csv, "GET"),
        route(room, _changing(rooms.end_room), "DELETE"),
        route(f"{room}/data", _changing(rooms.delete_room), "DELETE"),
        WebSocketRoute(f"{room}/live", partial(serve_socket, service)),
    ]


async def _respond(
    endpoint: Callable[[Request], Awaitable[Response]], request: Request
) -> Response:
    """Return an endpoint's response, or its error; neither is cached."""
    try:
        if is_cross_origin(request.headers):
            raise RoomError("forbidden")
        response = await endpoint(request)
    except RoomError as error:
        content: dict[str, str] = {"error": error.reason}
        if error.about and error.reason == "bad":  # what the database reports is for the log
            content["about"] = error.about
        response = JSONResponse(content, status_code=STATUS[error.reason])
    response.headers["cache-control"] = "no-store"
    return response


async def _as(service: RoomService, endpoint: Endpoint, role: str, request: Request) -> Response:
    """Respond to a member with this role; the answers of a student count towards the limits."""
    code, address = request.path_params["code"], client_address(request.scope)
    member = await service.find_member(code, bearer_token(request) or "", address)
    if (member.student is None) != (role == "teacher"):
        raise RoomError("forbidden")
    if member.student is not None:
        service.limits.count_answer(address, member.student)
    body = await read_body(request) if request.method == "POST" else {}
    return await endpoint(service, request, member, body) or Response(status_code=204)


async def _open_room(service: RoomService, request: Request) -> Response:
    service.limits.count_opening(client_address(request.scope))
    opened = await service.write(rooms.open_room)
    return JSONResponse(opened._asdict())


async def _join(service: RoomService, request: Request) -> Response:
    code, address = request.path_params["code"], client_address(request.scope)
    student = await service.join(code, bearer_token(request), address)
    return JSONResponse({"student": student})


async def _show_view(service: RoomService, _: Request, teacher: Member, body: Body) -> None:
    view = rooms.show_view(parse_view(body.get("address")))
    await service.change(rooms.update_room, teacher, view)


async def _set_mode(service: RoomService, _: Request, teacher: Member, body: Body) -> None:
    if body.get("mode") not in rooms.MODES:
        raise RoomError("bad")
    await service.change(rooms.update_room, teacher, {"mode": body["mode"]})


async def _lead(
    service: RoomService, request: Request, teacher: Member, _: Body, *, action: str
) -> None:
    await service.change(questions.lead, teacher, request.path_params["question"], action)


def _changing(change: Callable[..., None]) -> Endpoint:
    return lambda service, _, teacher, __: service.change(change, teacher)


async def _describe_view(service: RoomService, request: Request, _: Member, __: Body) -> Response:
    view = parse_view(request.query_params.get("view"))
    return JSONResponse(await service.compute(_network(request), _view_content, view))


async def _ask_question(
    service: RoomService, request: Request, teacher: Member, body: Body
) -> Response:
    prompt, view = typed(body, "prompt", str, most=500), parse_view(body.get("view"))
    if not prompt.strip():
        raise RoomError("bad")
    asked = await service.compute(_network(request), _build_question, body)
    id_ = await service.change(questions.ask_question, teacher, prompt=prompt, view=view, **asked)
    return JSONResponse({"id": id_})


async def _store_answer(
    service: RoomService, request: Request, student: Member, body: Body
) -> Response:
    stored, as_given = await service.change(
        questions.store_answer,
        student,
        request.path_params["question"],
        student.student,
        round_=typed(body, "round", int),
        answer=body.get("answer"),
        judged=_judged,
    )
    return JSONResponse({"answer": stored}, status_code=200 if as_given else 409)


async def _set_plan(service: RoomService, request: Request, teacher: Member, body: Body) -> None:
    lesson = None if body.get("lesson") is None else typed(body, "lesson", str)
    step = None if body.get("step") is None else typed(body, "step", int)
    plan = None
    if lesson is not None:
        plan = await service.compute(_network(request), lambda site: site.lesson_plan(lesson))
        if plan is None:
            raise RoomError("bad")
    await service.change(lesson_work.set_plan, teacher, plan, step)


async def _store_work(service: RoomService, _: Request, student: Member, body: Body) -> None:
    await service.change(
        lesson_work.store_work,
        student,
        student.student,
        lesson=typed(body, "lesson", str, most=80),
        step=typed(body, "step", int),
        answer=typed(body, "answer", str, most=lesson_work.MAX_ANSWER),
        right=typed(body, "right", bool),
    )


async def _results_csv(
    service: RoomService, request: Request, teacher: Member, _: Body
) -> Response:
    # The browser's page knows the path of a proxy.
    site = urljoin(request.headers.get("referer", str(request.base_url)), ".")
    content = await service.read(results.results_csv, teacher.room, site, _judged)
    headers = {"content-disposition": 'attachment; filename="results.csv"'}
    return Response(content, media_type="text/csv", headers=headers)


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


def _judged(*question: Any) -> Any:
    """Return a stored ``Question``; the first one imports the models, so call it in a thread."""
    from model.questions import Question

    return Question(*question)


def _network(request: Request) -> str:
    return settings.network(client_address(request.scope))
