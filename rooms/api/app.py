"""ASGI application of the rooms API, which loads its modules in a thread.

SQLAlchemy takes a fifth of a second to import; the start of the server does not wait for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route, Router, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

from web import settings
from web.view_state.address import ParametersOf

if TYPE_CHECKING:
    from rooms.api.service import RoomService

PREFIX = "/api/rooms"


class Site(NamedTuple):
    """What rooms need of pages and lessons, which they do not import: ``app.py`` passes it.

    Attributes:
        lesson_plan: Returns a lesson: ``lesson``, ``title``, and ``views``, one for each step; None
            without such a lesson.
    """

    parameters_of: ParametersOf
    lesson_plan: Callable[[str], dict[str, Any] | None]


class RoomsApp:
    """The rooms API of one server process, as ``routes``; ``site`` is called in a thread."""

    def __init__(self, site: Callable[[], Site]) -> None:
        path = PREFIX + "{rest:path}"
        self.routes: list[BaseRoute] = [Route(path, self), WebSocketRoute(path, self)]
        self._site = site
        self._loading: asyncio.Task[tuple[RoomService, Router]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request; 404 if rooms are switched off."""
        if self._loading and settings.now().rooms:
            await (await self._loading)[1](scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
        else:
            await PlainTextResponse("Not found", status_code=404)(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Load the API beside the start of the server; close everything at the end."""
        if not settings.now().rooms:
            yield
            return
        self._loading = asyncio.create_task(self._load())
        try:
            yield
        finally:
            await (await self._loading)[0].close()
            self._loading = None

    async def _load(self) -> "tuple[RoomService, Router]":
        endpoints = await asyncio.to_thread(import_module, "rooms.api.endpoints")
        service = endpoints.RoomService(self._site)
        return service, Router(endpoints.routes(service))
