"""Middleware that sets the language of a request's errors: the chosen one, or the browser's."""

import re

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from web import language


class RequestLanguageMiddleware:
    """Sets the language before the request is handled, in its task and the task's threads."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI request."""
        if scope["type"] == "http":
            request = HTTPConnection(scope)
            accepted = re.findall(r"[A-Za-z]+", request.headers.get("accept-language", ""))
            language.use_outside(
                language.first_known(request.cookies.get(language.COOKIE), *accepted[:1])
            )
        await self.app(scope, receive, send)
