"""WebSocket of a room: the newest state of the room, on connection and after every change."""

import asyncio
import json
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from rooms.api.broadcast import Subscriber
from rooms.api.service import RoomService
from rooms.store.errors import RoomError
from web.server.request_guard import client_address, is_cross_origin

PING_INTERVAL = 15  # seconds without a message after which the server sends a ping
SEND_TIMEOUT = 30  # seconds after which the server closes a socket that does not accept a message
POLICY_VIOLATION = 1008  # WebSocket close code (RFC 6455)
CLOSED = (WebSocketDisconnect, RuntimeError)  # raised by Starlette when the socket is closed


async def serve_socket(service: RoomService, socket: WebSocket) -> None:
    """Serve one browser until it disconnects or the room is deleted.

    A browser can send its token as the subprotocol only, which the server must repeat.
    """
    if is_cross_origin(socket.headers):
        await socket.close(POLICY_VIOLATION)  # before acceptance: HTTP 403
        return
    token = socket.headers.get("sec-websocket-protocol", "")
    try:
        await socket.accept(token or None)
        code, address = socket.path_params["code"], client_address(socket.scope)
        member = await service.connect(code, token, address)
    except RoomError as error:
        with suppress(*CLOSED):
            await socket.send_text(json.dumps({"error": error.reason}))
            await socket.close(POLICY_VIOLATION)
        return
    except CLOSED:
        return
    subscriber = service.broadcaster.subscribe(member)
    sending = asyncio.create_task(_send_states(socket, subscriber))
    receiving = asyncio.create_task(_wait_for_disconnect(socket))
    try:
        await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        service.broadcaster.unsubscribe(subscriber)
        sending.cancel()
        receiving.cancel()


async def _send_states(socket: WebSocket, subscriber: Subscriber) -> None:
    """Send each new state; close the socket if it accepts none or no more will follow."""
    with suppress(*CLOSED, OSError, TimeoutError):
        while True:
            try:
                async with asyncio.timeout(PING_INTERVAL):
                    state = await subscriber.next_state()
            except TimeoutError:
                state = '{"ping": true}'
            if state is None:
                break
            async with asyncio.timeout(SEND_TIMEOUT):
                await socket.send_text(state)
    with suppress(*CLOSED, OSError, TimeoutError):
        async with asyncio.timeout(SEND_TIMEOUT):
            await socket.close()


async def _wait_for_disconnect(socket: WebSocket) -> None:
    with suppress(RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
