"""Weights that a page asks for by the head."""

from functools import cache

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.shared import kept
from pages.shared.once import InUse

BROWSER = TestClient(Starlette(routes=[Route(kept.PART, kept.part)]))


def test_a_part_is_given_as_often_as_it_is_asked_for():
    at = kept.keep(bytes(range(100)))
    for _ in range(2):
        answer = BROWSER.get(f"{at}/30/37")
        assert answer.status_code == 200
        assert answer.content == bytes(range(30, 37))
    assert kept.keep(bytes(range(100))) == at


def test_what_another_visitor_asks_for_takes_nothing_away():
    """Each run of each session used to drop what all others were still to give again."""
    mine = kept.keep(b"0123456789")
    for other in range(50):
        kept.keep(f"of visitor {other}".encode())
    assert BROWSER.get(f"{mine}/3/6").content == b"345"


def test_what_is_not_there_is_said_so():
    at = kept.keep(b"0123456789")
    for part in ("/4/4", "/7/3", "/4/11", "/x/5", ""):
        assert BROWSER.get(at + part).status_code == 404
    assert BROWSER.get(f"{kept.AT}none/0/4").status_code == 404


def test_the_oldest_are_let_go_of_first(monkeypatch):
    monkeypatch.setattr(kept, "_kept", cache(lambda: InUse(1000, len)))
    first, second = kept.keep(b"1" * 400), kept.keep(b"2" * 400)
    assert BROWSER.get(f"{first}/0/4").status_code == 200
    kept.keep(b"3" * 400)
    assert BROWSER.get(f"{second}/0/4").status_code == 404
    assert BROWSER.get(f"{first}/0/4").content == b"1111"
