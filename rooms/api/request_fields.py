"""Fields of a request: the session token, the client's address, the JSON body, a view."""

import json
import re
from typing import Any, TypeVar

from starlette.requests import Request

from rooms.store.errors import RoomError
from web.server import request_guard

T = TypeVar("T")

MAX_BODY = 100_000  # bytes: enough for a question with its options and its view
MAX_VIEW = 8000  # characters
VIEW = re.compile(r"/(?:[\w-][\w./-]*)?(?:\?[^\s\\#]*)?")
"""A path of this site, with or without a query string."""


def bearer_token(request: Request) -> str | None:
    """Return the session token of a request, if it has one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


async def read_body(request: Request) -> dict[str, Any]:
    """Read a JSON object that every database can store; RoomError ``bad`` for anything else."""
    body = await request_guard.read_body(request, MAX_BODY)
    if body is None:
        raise RoomError("bad")
    try:
        content = json.loads(body, parse_int=_integer)
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        text.encode()  # a lone surrogate is an error
    except (ValueError, RecursionError):
        raise RoomError("bad") from None
    if not isinstance(content, dict) or "\\u0000" in text:
        raise RoomError("bad")
    return content


def parse_view(view: Any) -> str:
    """Return a value that is a view of this site; RoomError ``bad`` for anything else."""
    if not isinstance(view, str) or len(view) > MAX_VIEW or not VIEW.fullmatch(view):
        raise RoomError("bad")
    return view


def typed(body: dict[str, Any], name: str, kind: type[T], *, most: int | None = None) -> T:
    """Return a field of exactly this type, of ``most`` characters; RoomError ``bad`` otherwise.

    A bool is no int.
    """
    value = body.get(name)
    if type(value) is not kind or (most is not None and len(str(value)) > most):
        raise RoomError("bad")
    return value


def _integer(digits: str) -> int:
    number = int(digits)
    if abs(number) >= 2**63:  # no database stores it
        raise ValueError(digits)
    return number
