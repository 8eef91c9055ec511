"""Host check, limits, metrics and security headers."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from web import settings
from web.server.request_guard import (
    LIVE,
    MEMBER_SOCKETS,
    STREAM,
    RequestGuardMiddleware,
    client_address,
    is_own_host,
)
from web.server.serving import uvicorn_config
from web.settings import for_address

ROOM = "/api/rooms/12345678/live"
LAN = for_address(
    "0.0.0.0", environment={"HEADLIGHT_ALLOW_HOSTS": "class.example.org,*.school.example"}
)


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_settings", for_address("127.0.0.1", environment={}))


@pytest.fixture
def guarded() -> RequestGuardMiddleware:
    """The middleware around an application that responds to every request."""

    async def page(request: object) -> PlainTextResponse:
        return PlainTextResponse("a page")

    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("a message")
        await socket.close()

    async def page_open(socket: WebSocket) -> None:
        await socket.accept()
        await socket.receive()  # until the page is closed

    streams = [WebSocketRoute("/stream", stream)]
    streams += [WebSocketRoute(path, page_open) for path in (STREAM, ROOM)]
    routes = [*streams, Route("/api/rooms", page, methods=["POST"]), Route("/{path:path}", page)]
    return RequestGuardMiddleware(Starlette(routes=routes))


@pytest.fixture
def at(guarded: RequestGuardMiddleware) -> Callable[[str], TestClient]:
    """Return a function that opens a browser at any address."""
    here = "http://localhost:8501"
    return lambda address: TestClient(guarded, base_url=here, client=(address, 5))


@pytest.fixture
def client(at: Callable[[str], TestClient]) -> TestClient:
    return at("127.0.0.1")


OWN = ("localhost", "LOCALHOST:8501", "127.0.0.1:8501", "[::1]:8501", "10.1.2.3", "localhost.")
FOREIGN = (
    *("", "evil.example", "evil.example:8501", "localhost.evil.example", "[localhost]"),
    *("127.0.0.1.evil.example", "me@localhost", "localhost:", "localhost:1; script-src *"),
)


def test_own_names_and_ip_addresses_are_accepted_and_other_hosts_refused(
    client: TestClient,
) -> None:
    assert all(map(is_own_host, OWN))
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy and "object-src 'none'" in policy
    assert "base-uri 'self'" in policy and "unsafe-eval" not in policy
    with client.websocket_connect("/stream", headers={"host": "localhost:8501"}) as socket:
        assert socket.receive_text() == "a message"
    for host in FOREIGN:
        assert not is_own_host(host)
        answer = client.get("/", headers={"host": host})
        assert (answer.status_code, answer.text) == (400, "Unknown host (--allow-host)")
        assert answer.headers["x-frame-options"] == "SAMEORIGIN"
        refused = client.websocket_connect("/stream", headers={"host": host})
        with pytest.raises(WebSocketDenialResponse), refused:
            pass


def test_host_names_can_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Laptop")
    assert not is_own_host("laptop.local")
    settings.use(LAN)  # not bound to loopback: others type the machine's name
    assert is_own_host("laptop:8501") and is_own_host("laptop.local")
    assert is_own_host("class.example.org") and is_own_host("room2.school.example:8501")
    assert not is_own_host("example.org") and not is_own_host("school.example.evil.example")
    settings.use(for_address("127.0.0.1", environment={"HEADLIGHT_ALLOW_HOSTS": "*"}))
    assert is_own_host("anything.example")


def test_neither_a_full_server_nor_a_full_network_gets_new_pages(
    at: Callable[[str], TestClient],
) -> None:
    def page(address: str) -> Any:
        return at(address).get("/layers", headers={"accept": "text/html,*/*"})

    def opened(address: str, path: str = STREAM) -> WebSocketTestSession:
        return at(address).websocket_connect(path, headers={"host": "localhost"})

    settings.use(settings.Settings(sessions=5, address_sessions=2))
    with opened("2001:db8::1", ROOM), opened("2001:db8::2", ROOM):  # counted apart from pages
        with pytest.raises(WebSocketDenialResponse), opened("2001:db8::3", ROOM):
            pass
        assert page("2001:db8::3").text == "a page"
    with opened("2001:db8::1"), opened("2001:db8::2"):  # one network
        with pytest.raises(WebSocketDenialResponse) as refused, opened("2001:db8::3"):
            pass
        assert refused.value.status_code == 503
        response = page("2001:db8::3")
        assert response.status_code == 503 and "your network" in response.text
        school, other = "198.51.100.7", "198.51.100.9"
        with opened(school), opened(school):
            assert page(other).text == "a page"
            with opened("198.51.100.8"):
                with pytest.raises(WebSocketDenialResponse), opened(other):
                    pass
                response = page(other)
                assert (response.status_code, response.headers["retry-after"]) == (503, "60")
                assert "server is full" in response.text
                assert at(other).get("/static/part.js").text == "a page"
    assert page("2001:db8::3").text == "a page"
    assert 400 < settings.Settings().address_sessions < settings.Settings().sessions  # a school


def test_a_member_of_a_room_cannot_use_up_the_connections_of_a_school(
    at: Callable[[str], TestClient], guarded: RequestGuardMiddleware
) -> None:
    def opened(token: str) -> WebSocketTestSession:
        return at("192.0.2.1").websocket_connect(ROOM, [token], headers={"host": "localhost"})

    with ExitStack() as pages:
        for _ in range(MEMBER_SOCKETS):
            pages.enter_context(opened("one student"))
        with pytest.raises(WebSocketDenialResponse), opened("one student"):
            pass
        with opened("another"):
            assert guarded.open[LIVE] == {"192.0.2.1": MEMBER_SOCKETS + 1}
    with opened("one student"):
        assert guarded.members == {"one student": 1}
    assert not guarded.members and not guarded.open[LIVE]


def test_metrics_are_local(at: Callable[[str], TestClient]) -> None:
    for path in ("/_stcore/metrics", "/base/_stcore/metrics"):
        assert at("127.0.0.1").get(path).text == "a page"
        assert at("10.1.2.3").get(path).status_code == 404


@pytest.mark.parametrize(
    ("proxies", "peer", "believed"),
    [
        (("172.30.0.0/24",), "172.30.0.9", True),
        (("172.30.0.0/24",), "172.30.1.9", False),
        ((), "127.0.0.1", False),
    ],
)
def test_only_trusted_proxies_can_state_a_visitors_address(
    proxies: tuple[str, ...], peer: str, believed: bool, guarded: RequestGuardMiddleware
) -> None:
    """A client with a forged address could read the metrics and evade rate limits."""
    config = uvicorn_config(guarded, settings.Settings(proxies=proxies))
    config.load()
    seen: list[str] = []

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(client_address(scope))
        await guarded(scope, receive, send)

    config.loaded_app.app = noting
    browser = TestClient(config.loaded_app, base_url="http://localhost", client=(peer, 5))
    answer = browser.get("/_stcore/metrics", headers={"x-forwarded-for": "127.0.0.1, 198.51.100.7"})
    assert answer.status_code == (200 if not believed and peer == "127.0.0.1" else 404)
    # The address that the proxy has appended, not the visitor's own header.
    assert seen == ["198.51.100.7" if believed else peer]


def test_a_long_url_is_refused_with_a_message(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The client knows a limit too.
    monkeypatch.setattr("web.server.request_guard.MAX_URL_BYTES", 1_000)
    assert client.get("/layers?text=" + "x" * 980).text == "a page"
    refused = client.get("/layers?text=" + "x" * 1_000)
    assert refused.status_code == 414 and "too long" in refused.text


def test_visitors_can_read_pages_and_send_data_to_rooms_only(client: TestClient) -> None:
    upload = "_stcore/upload_file/a-session"
    for method, path in (
        *(("PUT", f"/{upload}/a-file"), ("PUT", f"/{upload}/_stcore/health"), ("POST", "/layers")),
        *(("DELETE", f"/{upload}/a-file"), ("GET", "/_stcore/agent/openapi.json")),
        *(("GET", "/_stcore/bidi-components/a/b.js"), ("POST", "/_stcore/health")),
    ):
        response = client.request(method, path, content=b"x" * 1_000)
        assert response.status_code in (404, 405), path
    for path in ("/_stcore/health", "/layers/_stcore/host-config", "/layers"):
        assert client.get(path).text == "a page"
        assert client.head(path).status_code == 200
    for content in (b"x", iter([b"x"])):  # of known length, and in chunks
        assert client.request("GET", "/layers", content=content).status_code == 413
    assert client.post("/api/rooms", content=b"{}").text == "a page"
    assert client.post(f"/api/rooms/{2**63}/stop").status_code == 404  # no database stores it
    settings.use(settings.Settings(base_path="hub/ann/"))  # of a proxy that keeps it
    assert client.post("/hub/ann/api/rooms", content=b"{}").text == "a page"
    assert client.post("/hub/ann/layers").status_code == 405
    redirect = client.get("/hub/ann?a=b", follow_redirects=False)
    assert redirect.headers["location"] == "../hub/ann/?a=b"


def test_a_page_of_another_origin_cannot_open_a_websocket(client: TestClient) -> None:
    def opened(origin: str) -> WebSocketTestSession:
        headers = {"host": "localhost:8501", "origin": origin}
        return client.websocket_connect(STREAM, headers=headers)

    for origin in ("http://localhost:9999", "https://evil.example", "null"):
        with pytest.raises(WebSocketDenialResponse) as refused, opened(origin):
            pass
        assert refused.value.status_code == 403
    with opened("http://localhost:8501"):
        pass
