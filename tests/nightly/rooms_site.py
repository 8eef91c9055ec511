"""The rooms API as a server of its own: ``python -m tests.nightly.rooms_site PORT``."""

import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from rooms.api import endpoints
from rooms.api.app import RoomsApp
from web import settings

if __name__ == "__main__":
    settings.use(settings.for_address("127.0.0.1"))
    rooms = RoomsApp(lambda: None)
    asked = {"kind": "choice", "items": {"options": ["a", "b", "c"]}, "truth": {"right": [2]}}
    endpoints._build_question = lambda site, body: asked
    up = Route("/up", lambda request: PlainTextResponse("up"))
    app = Starlette(routes=[up, *rooms.routes], lifespan=lambda app: rooms.running())
    uvicorn.run(app, port=int(sys.argv[1]), log_level="error")
