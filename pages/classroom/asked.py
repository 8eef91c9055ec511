"""What a request says: who sends it, from where, and what is in it."""

import json
import re
from typing import Any

from starlette.requests import Request

from classroom.errors import RoomError

MOST_BYTES = 100_000
"""Of a request: a question with its options and the address that it is asked from."""

MOST_ADDRESS = 8000
"""Characters of a view."""

VIEW = re.compile(r"/(?:[\w-][\w./-]*)?(?:\?[^\s\\#]*)?")
"""A path of this site, and perhaps a query."""


def token(request: Request) -> str | None:
    """What its sender proves a part in the room with."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def address(request: Request) -> str:
    """Where it came from."""
    return request.client.host if request.client else ""


async def body(request: Request) -> dict[str, Any]:
    """What was sent: an object, none of whose texts a database would refuse.

    Raises:
        RoomError: ``bad``: it is none, or too large.
    """
    written = bytearray()
    async for part in request.stream():
        written += part
        if len(written) > MOST_BYTES:
            raise RoomError("bad")
    try:
        said = json.loads(written, parse_constant=_no_number)
        again = json.dumps(said, ensure_ascii=False)
        again.encode()
    except (ValueError, RecursionError):
        raise RoomError("bad") from None
    if not isinstance(said, dict) or "\\u0000" in again:
        raise RoomError("bad")
    return said


def checked_view(view: Any) -> str:
    """An address of this site.

    Raises:
        RoomError: ``bad``: it is none, or too long.
    """
    if not isinstance(view, str) or len(view) > MOST_ADDRESS or not VIEW.fullmatch(view):
        raise RoomError("bad")
    return view


def _no_number(name: str) -> None:
    raise ValueError(name)
