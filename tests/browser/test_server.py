"""Headers, hosts and limits of the server, and pages that work with them."""

import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import WebSocketRoute, expect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.browser.conftest import APP, STREAMLIT_RUN, outside, server_of
from tests.browser.test_first_visit import has_full_navigation
from tests.browser.test_restart import CAT
from tests.streamlit_visitor import Visitor

pytestmark = pytest.mark.browser

PAGES = ("", "layers", "heads", "decoder", "calculator", "positions", "about")


def ask(base: str, path: str, host: str = "localhost") -> tuple[int, dict[str, str], str]:
    """Status, headers and text of a response to a given Host header."""
    line = HTTPConnection(urlsplit(base).netloc, timeout=60)
    line.request("GET", path, headers={"Host": host})
    answer = line.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode("utf-8", "replace")
    line.close()
    return found


def stream(base: str, **options: object) -> connect:
    return connect(f"ws://{urlsplit(base).netloc}/_stcore/stream", **options)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_works_with_the_content_security_policy(visit, base, path):
    """A refused script, style or font would be an error in the console."""
    explore = visit(base)
    status, headers, _ = ask(base, f"/{path}")
    assert status == 200 and "script-src 'self'" in headers["content-security-policy"]
    explore.page.goto(f"{base}/{path}")
    explore.at_rest()
    drawn = "canvas:visible, .main-svg:visible, table:visible, svg:visible"
    expect(explore.page.get_by_test_id("stMain").locator(drawn).first).to_be_visible()


def test_a_policy_violation_is_detected(visit, base):
    """The test above relies on this: the browser enforces the policy."""
    explore = visit(base)
    explore.page.goto(f"{base}/about")
    explore.at_rest()
    refused = explore.page.evaluate(
        """() => new Promise((sent) => {
             addEventListener("securitypolicyviolation", (e) => sent(e.effectiveDirective));
             const script = document.createElement("script");
             script.textContent = "window.ran = true";
             document.head.append(script);
           })"""
    )
    assert refused.startswith("script-src")
    assert explore.page.evaluate("window.ran") is None
    explore.complaints.clear()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/ready",
        "/_stcore/health",
        "/favicon.png",
        "/static/none.js",
        "/media/none",
        "/api/chart-0.js",
    ],
)
def test_every_response_has_security_headers(base, path):
    _, headers, _ = ask(base, path)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in headers["content-security-policy"]


def test_an_unknown_host_is_refused(base):
    assert ask(base, "/", "evil.example")[0] == 400
    assert ask(base, "/_stcore/health", "evil.example:8501")[0] == 400
    with pytest.raises(InvalidStatus), stream(base, additional_headers={"Host": "evil.example"}):
        pass


def test_an_oversized_message_closes_the_websocket(base):
    with stream(base) as wire, pytest.raises(ConnectionClosed) as closed:
        wire.send(b"\n" * 2_500_000)
        while True:
            wire.recv(timeout=60)
    assert closed.value.rcvd.code == 1009


@pytest.fixture(scope="module")
def streamlit_run(hub_cache) -> Iterator[str]:
    """Address of a server of `streamlit run`, which keeps no disconnected session.

    The server is fresh for the first of the tests, and so is `public_server`.
    """
    command = [*STREAMLIT_RUN[:-1], "--server.disconnectedSessionTTL", "0", STREAMLIT_RUN[-1]]
    server, address = server_of(command, "/_stcore/health", hub_cache)
    with server:
        yield address


@pytest.fixture(scope="module")
def public_server(hub_cache) -> Iterator[str]:
    """Address of a fresh server that listens on all addresses of this machine."""
    command = [*APP[:-1], "--host", "0.0.0.0", APP[-1]]
    server, address = server_of(command, "/_stcore/health", hub_cache)
    with server:
        yield address


def test_streamlit_run_serves_a_deep_link_too(streamlit_run, visit):
    explore = visit(streamlit_run).open(text="hello there", layer="5", head="11")
    has_full_navigation(explore.page)
    explore.shows(5, 11)


def test_streamlit_run_binds_to_loopback(streamlit_run):
    here = outside()
    if here is None:
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError):
        socket.create_connection((here, urlsplit(streamlit_run).port), timeout=10).close()


def test_an_action_after_the_session_has_expired_is_applied(streamlit_run, visit):
    """The server keeps no session, so a broken WebSocket is enough for a new session."""
    explore = visit(streamlit_run)
    wires: list[WebSocketRoute] = []

    def connect(page_end: WebSocketRoute) -> None:
        wires.append(page_end)
        page_end.connect_to_server()

    explore.page.route_web_socket("**/_stcore/stream", connect)
    explore.open(text="hello there", layer="2", head="5")
    wires[-1].close()
    while len(wires) == 1:
        explore.page.wait_for_timeout(50)
    restarted = explore.page.locator('[data-test-connection-state="CONNECTED"]:not([inert])')
    expect(restarted).to_be_attached()
    explore.at_rest()
    explore.type("The cat sat on the mat.")
    explore.address_says(text="The cat sat on the mat.", layer="2", head="5")
    expect(explore.pieces()).to_have_text(CAT)


def test_about_as_the_first_request_to_a_fresh_server_has_the_whole_navigation(
    public_server, visit
):
    explore = visit(public_server)
    explore.page.goto(f"{explore.base}/about")
    has_full_navigation(explore.page)
    expect(explore.page.get_by_role("heading", name="About Headlight")).to_be_visible()


def test_a_public_server_restricts_models_and_metrics(public_server, visit, tmp_path):
    """Requested by the machine's address in its network, if it has one."""
    base = public_server
    assert ask(base, "/_stcore/metrics")[0] == 200  # a request from this machine
    if here := outside():
        base = f"http://{here}:{urlsplit(base).port}"
        assert ask(base, "/_stcore/metrics", here)[0] == 404
        assert ask(base, "/", here)[0] == 200
    explore = visit(base)
    answers = []
    for name in (str(tmp_path), str(tmp_path / "not-there"), "owner/of-the-hub"):
        explore.open(left=name)
        error = explore.page.get_by_test_id("stAlertContentError")
        expect(error).to_contain_text("allows only the models of its list")
        answers.append(error.inner_text().replace(name, ""))
    assert len(set(answers)) == 1
    explore.page.goto(f"{base}/decoder?part=generate&model={tmp_path}")
    explore.at_rest()
    expect(explore.alerts()).to_have_count(1)  # its text is not read
    expect(explore.alerts()).to_contain_text("allows only the models of its list")
    explore.page.goto(f"{base}/?text={'x' * 1_000_000}")
    expect(explore.page.locator("body")).to_have_text("This link is too long. Shorten its text.")
    explore.complaints[:] = [
        complaint for complaint in explore.complaints if "414" not in complaint
    ]


@pytest.mark.filterwarnings("ignore:connect:DeprecationWarning")  # of websockets, in the visitor
def test_a_new_sentence_reruns_its_fragment_only_unless_elements_change(base):
    with Visitor(urlsplit(base).netloc, "?text=hello") as visitor:

        def whole(text: str) -> bool:
            visitor.type(text)
            sent = b"".join(message.SerializeToString() for message in visitor.messages)
            assert text[:9].encode() in sent
            return any(message.WhichOneof("type") == "navigation" for message in visitor.messages)

        for number in range(3):  # the first run also sends the URL
            whole(f"{number} birds sang in the tree")
        assert not whole("one bird was quiet")
        assert not whole("two birds were quiet")
        assert whole("x" * 20_001)  # the page says that the text is cut
        assert whole("and no longer") and not whole("three birds")
