"""The body of a request, up to a limit."""

from starlette.requests import Request


async def read_body(request: Request, max_bytes: int) -> bytes | None:
    """Read the body of a request; return None, and read no further, if it is larger."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > max_bytes:
            return None
    return bytes(body)
