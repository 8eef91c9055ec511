"""A room's live line to a browser: the whole state at once, and after every change."""

import asyncio
import json
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from classroom.errors import RoomError
from classroom.secret import as_code
from pages.classroom.desk import Desk
from pages.classroom.fanout import Line
from pages.shared import settings
from pages.shared.guard import from_elsewhere

PATIENCE = 10
"""Seconds in which a browser says who it is."""

PING = 15
"""Seconds of silence after which a browser is told that its line still holds."""

STUCK = 30
"""Seconds that a message may wait for a browser that does not read."""

FIRST = 1000
"""Characters of what a browser says first."""

REFUSED = 1008
"""The websocket's own number for whoever may not listen."""


async def live(socket: WebSocket, desk: Desk) -> None:
    """Serve one browser, until it leaves or the room is deleted."""
    if not settings.now().rooms or from_elsewhere(socket.headers):
        await socket.close(REFUSED)  # before it was accepted: 403
        return
    await socket.accept()
    try:
        person = await desk.who(
            as_code(socket.path_params["code"]),
            await _token(socket),
            socket.client.host if socket.client else "",
        )
    except RoomError as refused:
        with suppress(WebSocketDisconnect, RuntimeError):
            await socket.send_text(json.dumps({"error": refused.reason}))
            await socket.close(REFUSED)
        return
    except (WebSocketDisconnect, RuntimeError):
        return
    line = desk.lines.add(person)
    both = {asyncio.create_task(_send(socket, line)), asyncio.create_task(_left(socket))}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        desk.lines.remove(line)
        for task in both:
            task.cancel()


async def _token(socket: WebSocket) -> str:
    try:
        async with asyncio.timeout(PATIENCE):
            message = await socket.receive()
    except TimeoutError:
        raise RoomError("forbidden") from None
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect
    written = message.get("text") or ""
    try:
        said = json.loads(written) if len(written) <= FIRST else None
    except ValueError:
        said = None
    token = said.get("token") if isinstance(said, dict) else None
    if not isinstance(token, str):
        raise RoomError("bad")
    return token


async def _send(socket: WebSocket, line: Line) -> None:
    """Send the newest state whenever there is one; a line that does not take it is closed."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError, TimeoutError):
        while True:
            try:
                async with asyncio.timeout(PING):
                    state = await line.take()
            except TimeoutError:
                state = '{"ping": true}'
            if state is None:
                break
            async with asyncio.timeout(STUCK):
                await socket.send_text(state)
    with suppress(WebSocketDisconnect, RuntimeError, OSError, TimeoutError):
        async with asyncio.timeout(STUCK):
            await socket.close()


async def _left(socket: WebSocket) -> None:
    """Wait until a browser leaves; what it says till then is not listened to."""
    with suppress(RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
