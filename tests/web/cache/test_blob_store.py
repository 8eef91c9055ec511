"""Ranges of stored weights, and eviction."""

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from web.cache import blob_store

BROWSER = TestClient(Starlette(routes=[Route(blob_store.ROUTE_PATH, blob_store.get_range)]))


def test_ranges_can_be_requested_repeatedly_and_only_those_of_a_stored_blob():
    mine = blob_store.store(bytes(range(100)))
    for other in range(50):
        blob_store.store(f"of visitor {other}".encode())
    for _ in range(2):
        answer = BROWSER.get(f"{mine}/30/37")
        assert (answer.status_code, answer.content) == (200, bytes(range(30, 37)))
    assert blob_store.store(bytes(range(100))) == mine
    for part in ("/4/4", "/7/3", "/4/101", "/x/5", ""):
        assert BROWSER.get(mine + part).status_code == 404
    assert BROWSER.get(f"{blob_store.URL_PATH}none/0/4").status_code == 404
