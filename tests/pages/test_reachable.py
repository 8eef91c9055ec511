"""Links that others can open: addresses of the server, links rewritten, QR codes."""

import re
import socket
from types import SimpleNamespace

import psutil
import pytest
import segno
from starlette.applications import Starlette
from starlette.testclient import TestClient

import app
from pages.shared import qr, reachable, settings

BRIDGE, WIFI, V6 = "172.17.0.1", "192.168.1.20", "2001:db8::5"
INTERFACES = {
    "lo": [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")],
    "docker0": [(socket.AF_INET, BRIDGE)],
    "wlan0": [(socket.AF_INET, WIFI), (socket.AF_INET6, "fe80::1%wlan0"), (socket.AF_INET6, V6)],
    "usb0": [(socket.AF_INET, "169.254.7.7")],
}


@pytest.fixture
def bound(monkeypatch):
    """Bind the server: to an address, with names that a proxy passes on."""
    found = {
        name: [SimpleNamespace(family=family, address=address) for family, address in each]
        for name, each in INTERFACES.items()
    }
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: found)
    ways = {4: reachable.ip_address(WIFI), 6: None}
    monkeypatch.setattr(reachable, "_way_out", ways.get)

    def bind(address: str) -> None:
        to = settings.for_address(address, environment={})
        monkeypatch.setattr(settings, "_settings", to)

    return bind


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1", []),
        ("localhost", []),
        ("0.0.0.0", [WIFI, BRIDGE]),
        ("", [WIFI, BRIDGE]),
        ("::", [f"[{V6}]"]),
        (BRIDGE, [BRIDGE]),
        (V6, [f"[{V6}]"]),
        ("lab.local", ["lab.local"]),
    ],
)
def test_addresses_are_those_that_answer_the_way_out_first(bound, address, told):
    bound(address)
    assert reachable.reachable_addresses() == told


def test_a_link_stays_as_it_is_unless_it_leads_a_device_to_itself(bound):
    bound("0.0.0.0")
    assert (
        reachable.for_others("http://localhost:8501/layers?a=1") == f"http://{WIFI}:8501/layers?a=1"
    )
    assert reachable.for_others("http://[::1]/") == f"http://{WIFI}/"
    for own in (f"http://{BRIDGE}:8501/", "https://lab.example.org/headlight/layers"):
        assert reachable.for_others(own) == own
    bound("127.0.0.1")
    assert reachable.for_others("http://127.0.0.1:8501/") is None
    assert reachable.for_others("https://lab.example.org/") == "https://lab.example.org/"


def test_the_start_tells_what_others_type(bound):
    bound("0.0.0.0")
    assert app.greeting("0.0.0.0", 8501).splitlines() == [
        f"Headlight: http://{WIFI}:8501",
        f"       or: http://{BRIDGE}:8501",
    ]
    bound("127.0.0.1")
    assert app.greeting("127.0.0.1", 8501) == "Headlight: http://127.0.0.1:8501"


def test_a_code_is_the_text_s():
    text = f"http://{WIFI}:8501/?text=d%C3%A9j%C3%A0"
    code = qr.qr_code(text)
    drawn = [[0] * code.size for _ in range(code.size)]
    for x, y, length in re.findall(r"M(\d+) (\d+)\.5h(\d+)", code.path):
        for column in range(int(x), int(x) + int(length)):
            drawn[int(y)][column] = 1
    assert drawn == [list(row) for row in segno.make_qr(text, error="L").matrix_iter(border=4)]
    assert len(qr.in_a_terminal(text).splitlines()) == (code.size + 1) // 2


def test_the_server_makes_codes_up_to_a_size():
    with TestClient(Starlette(routes=qr.ROUTES)) as client:
        most = "a" * qr.MAX_BYTES
        assert client.post(qr.QR_URL, content=most).json()["size"] == 125
        assert client.post(qr.QR_URL, content=most + "a").status_code == 413
        assert client.get(qr.QR_URL).status_code == 405
    assert qr.qr_code(most + "a") is None and qr.in_a_terminal(most + "a") == ""
