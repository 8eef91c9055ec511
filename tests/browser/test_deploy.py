"""deploy/'s nginx in front of two processes: distribution, limits, restarts, a public Headlight."""

import asyncio
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from httpx2 import Client
from playwright.sync_api import expect
from websockets.asyncio.client import connect

from benchmarks.browser import Server, free_port
from tests.browser.conftest import APP, server_of
from tests.browser.explore_page import CAT, ExplorePage
from tests.browser.nginx import Nginx
from tests.browser.test_restart import found_again
from tests.browser.visitor import PATIENCE
from tests.chromium import outside

pytestmark = pytest.mark.browser

# In place of Headlight, which takes seconds to start: a process that responds with its port.
REPLICA = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route, WebSocketRoute

port = int(sys.argv[1])
n_requests = 0

async def describe(request):
    forwarded = {k: v for k, v in request.headers.items() if "forward" in k}
    return JSONResponse({"port": port, "headers": forwarded, "pad": "x" * 2000})

async def script(request):
    global n_requests
    n_requests += 1
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return PlainTextResponse(f"{port} {n_requests} " * 300, headers=headers)

async def stream(socket):
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(f"{port} {text}")

routes = [Route("/static/a.js", script), WebSocketRoute("/_stcore/stream", stream),
          Route("/{path:path}", describe)]
uvicorn.run(Starlette(routes=routes), port=port, log_level="warning",
            timeout_graceful_shutdown=1)
"""


@pytest.fixture(scope="module")
def replicas() -> Iterator[dict[int, Server]]:
    ports = [free_port(), free_port()]
    with ExitStack() as running:
        servers = [
            Server([sys.executable, "-c", REPLICA, str(port)], f"http://127.0.0.1:{port}/")
            for port in ports
        ]
        yield {p: running.enter_context(s) for p, s in zip(ports, servers, strict=True)}


@pytest.fixture(scope="module")
def nginx(replicas: dict[int, Server], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    with Nginx(tmp_path_factory.mktemp("nginx"), list(replicas)) as running:
        yield running


def visitor(nginx: Nginx) -> Client:
    return Client(base_url=nginx.address, timeout=10)


def port_of(client: Client, path: str = "/") -> int:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.json()["port"]


def test_visitors_are_distributed_and_stay_with_their_process(
    nginx: Nginx, replicas: dict[int, Server]
) -> None:
    came = Counter[int]()
    for _ in range(30):
        with visitor(nginx) as client:
            port = port_of(client)
            came[port] += 1
            assert len(client.cookies["headlight"]) == 32
            assert "set-cookie" not in client.get("/layers").headers
            for path in ("/layers", "/media/a.png", "/_stcore/health"):
                assert port_of(client, path) == port
    assert set(came) == set(replicas)
    assert min(came.values()) >= 5  # of thirty; fewer have a probability of 1 : 7000


def test_headers_are_set_and_immutable_files_are_requested_once(nginx: Nginx) -> None:
    made_up = {"X-Forwarded-For": "10.9.8.7", "X-Forwarded-Host": "evil", "Forwarded": "for=1.2.3"}
    texts = set()
    for _ in range(5):
        with visitor(nginx) as client:
            answer = client.get("/", headers=made_up)
            own = {"x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http"}
            assert answer.json()["headers"] == own
            assert answer.headers["content-encoding"] == "gzip"
            assert client.get("/_stcore/metrics").status_code == 404
        with visitor(nginx) as client:
            answer = client.get("/static/a.js")
            assert "immutable" in answer.headers["cache-control"]
            assert "set-cookie" not in answer.headers
            texts.add(answer.text)
    assert len(texts) == 1


def test_a_hundred_websockets_survive_a_reload(nginx: Nginx) -> None:
    async def open_and_reload() -> None:
        at = f"{nginx.address.replace('http', 'ws')}/_stcore/stream"
        sockets = await asyncio.gather(*(connect(at, proxy=None) for _ in range(100)))
        ports = []
        for when in ("before", "after"):
            for i, socket in enumerate(sockets):
                await socket.send(f"{when} {i}")
            messages = [str(await socket.recv()).partition(" ") for socket in sockets]
            assert [text for _port, _, text in messages] == [f"{when} {i}" for i in range(100)]
            ports.append([port for port, _, _text in messages])
            if when == "before":
                await asyncio.to_thread(nginx.reload)
        assert ports[0] == ports[1]
        assert len(set(ports[0])) == 2
        async with connect(at, proxy=None) as newcomer:
            await newcomer.send("hello")
            assert str(await newcomer.recv()).endswith("hello")
        await asyncio.gather(*(socket.close() for socket in sockets))

    with ThreadPoolExecutor(1) as beside:  # Playwright uses this thread's event loop
        beside.submit(lambda: asyncio.run(open_and_reload())).result()


def test_a_restart_of_a_process_causes_no_error(nginx: Nginx, replicas: dict[int, Server]) -> None:
    with visitor(nginx) as client:
        own = port_of(client)
        other = next(port for port in replicas if port != own)
        server = replicas[own]
        server.process.send_signal(signal.SIGTERM)
        answered = Counter(port_of(client) for _ in range(100))
        server.__exit__(None, None, None)
        assert port_of(client) == other
        server.__enter__()
        while port_of(client) != own:  # nginx tries it again after two seconds
            time.sleep(0.1)  # the rate limit allows no tighter loop
        assert answered[own] + answered[other] == 100


def test_request_floods_are_refused(replicas: dict[int, Server], tmp_path: Path) -> None:
    # One more a minute: however slow the machine is, most of 40 requests are too many.
    fewer = {
        "rate=50r/s": "rate=1r/m",
        "zone=headlight_pages burst=1000": "zone=headlight_pages burst=5",
    }
    with Nginx(tmp_path, list(replicas), **fewer) as strict, visitor(strict) as client:
        answers = Counter(client.get("/").status_code for _ in range(40))
        assert answers[200] >= 6 and answers[429] >= 10
        assert client.get("/static/a.js").status_code == 200


def test_a_public_server_restricts_models_and_its_end_loses_no_view_and_no_typed_sentence(
    shared, hub_cache: Path, visit, tmp_path: Path
) -> None:
    server, address = server_of([*APP[:-1], "--host", "0.0.0.0", APP[-1]], "/api/ready", hub_cache)
    ports = [int(each.rpartition(":")[2]) for each in (address, shared[1])]
    with server, Nginx(tmp_path, ports) as nginx:
        cookie = next(c for c in "abcdefghijklmn" if nginx.port_of(c) == ports[0])
        explore = visit(nginx.address, ExplorePage)
        explore.page.context.add_cookies(
            [{"name": "headlight", "value": cookie, "url": nginx.address}]
        )
        explore.page.goto(f"{nginx.address}/about")  # the first request to a fresh server
        expect(explore.page.get_by_role("heading", name="What attention is")).to_be_visible()
        answers = []
        for name in (str(tmp_path), str(tmp_path / "not-there")):
            explore.open(left=name)
            error = explore.page.get_by_test_id("stAlertContentError")
            expect(error).to_contain_text("allows only the models of its list")
            answers.append(error.inner_text().replace(name, ""))
        assert len(set(answers)) == 1
        if here := outside():  # by the machine's address in its network, if it has one
            with Client(base_url=f"http://{here}:{ports[0]}", timeout=60) as stranger:
                assert stranger.get("/_stcore/metrics").status_code == 404
                assert stranger.get("/").status_code == 200

        explore.open(text="hello there", layer="2", head="5")
        explore.sentence().fill("The cat sat on the mat.")  # no Enter yet
        with explore.page.expect_websocket(timeout=2 * PATIENCE):  # with the other process
            server.process.kill()
            server.process.wait()
        found_again(explore)
        explore.address_says(text="hello there", layer="2", head="5")
        expect(explore.sentence()).to_have_value("The cat sat on the mat.")
        explore.sentence().press("Enter")
        explore.address_says(text="The cat sat on the mat.", layer="2", head="5")
        expect(explore.chips()).to_have_text(CAT)
        explore.complaints[:] = [c for c in explore.complaints if "/_stcore/" not in c]
