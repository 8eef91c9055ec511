"""The rooms alone, for tests that kill a server: ``python -m tests.classroom.site PORT``."""

import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pages.classroom import api
from pages.classroom.desk import Desk
from pages.shared import settings
from pages.shared.socket import Socket

if __name__ == "__main__":
    settings.use(settings.for_address("127.0.0.1"))
    desk = Desk()
    api._prepared = lambda asked: ({"options": ["a", "b", "c"]}, {"right": [2]})
    up = Route("/up", lambda request: PlainTextResponse("up"))
    app = Starlette(routes=[up, *api.routes(desk)], lifespan=lambda app: desk.running())
    uvicorn.run(app, port=int(sys.argv[1]), ws=Socket, log_level="error")
