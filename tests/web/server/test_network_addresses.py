"""Addresses for other devices, shared URLs, and QR codes."""

import re
import socket

import pytest
import segno
from starlette.applications import Starlette
from starlette.testclient import TestClient

from web import settings
from web.server import network_addresses, qr, serving

WIFI, V6 = "192.168.1.20", "2001:db8::5"


@pytest.fixture
def bound(monkeypatch):
    def bind(address: str) -> None:
        to = settings.for_address(address, environment={})
        monkeypatch.setattr(settings, "_settings", to)

    def route(version: int) -> str:
        if version == 6:
            raise OSError
        return WIFI

    monkeypatch.setattr(network_addresses, "_default_route_address", route)
    return bind


def test_the_address_for_others_is_that_of_the_default_route(bound):
    for address, expected in (
        *(("127.0.0.1", None), ("localhost", None), ("0.0.0.0", WIFI), ("", WIFI)),
        *(("::", socket.gethostname()), (V6, f"[{V6}]"), ("lab.local", "lab.local")),
    ):
        bound(address)
        assert network_addresses.reachable_host() == expected, address


def test_a_shared_url_replaces_a_loopback_host_only(bound):
    bound("0.0.0.0")
    shared = network_addresses.share_url("http://localhost:8501/layers?a=1")
    assert shared == f"http://{WIFI}:8501/layers?a=1"
    assert serving.greeting("0.0.0.0", 8501) == f"Headlight: http://{WIFI}:8501"
    assert network_addresses.share_url("http://[::1]/") == f"http://{WIFI}/"
    own = "https://lab.example.org/headlight/layers"
    assert network_addresses.share_url(own) == own
    bound("127.0.0.1")
    assert serving.greeting("127.0.0.1", 8501) == "Headlight: http://127.0.0.1:8501"
    assert network_addresses.share_url("http://127.0.0.1:8501/") is None


def test_a_qr_code_encodes_the_text_and_long_texts_are_refused():
    text = f"http://{WIFI}:8501/?text=d%C3%A9j%C3%A0"
    code = qr.qr_code(text)
    drawn = [[0] * code["size"] for _ in range(code["size"])]
    for x, y, length in re.findall(r"M(\d+) (\d+)\.5h(\d+)", code["path"]):
        for column in range(int(x), int(x) + int(length)):
            drawn[int(y)][column] = 1
    assert drawn == [list(row) for row in segno.make_qr(text, error="L").matrix_iter(border=4)]
    with TestClient(Starlette(routes=qr.ROUTES)) as client:
        most = "a" * qr.MAX_BYTES
        assert client.post(qr.QR_URL, content=most).json()["size"] == 125
        assert client.post(qr.QR_URL, content=most + "a").status_code == 413
