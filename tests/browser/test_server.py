"""The default server over HTTP and its WebSocket, without a page."""

from urllib.parse import urlsplit

import pytest
from httpx2 import Client
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.streamlit_visitor import Visitor

pytestmark = pytest.mark.browser


def test_every_kind_of_response_is_guarded_and_no_text_is_logged(shared):
    server, base = shared
    with Client(base_url=base, timeout=60) as client:
        pages = ("/", "/about?text=a+private+sentence", "/_stcore/health", "/static/none.js")
        for path in (*pages, "/media/none", "/api/chart-0.js"):
            headers = client.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert client.get("/", headers={"Host": "evil.example:8501"}).status_code == 400
    address = f"ws://{urlsplit(base).netloc}/_stcore/stream"
    with connect(address) as wire, pytest.raises(ConnectionClosed) as closed:
        wire.send(b"\n" * 2_500_000)
        while True:
            wire.recv(timeout=60)
    assert closed.value.rcvd.code == 1009
    assert "private" not in server.output()


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
