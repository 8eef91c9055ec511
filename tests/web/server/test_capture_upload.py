"""Uploaded files of weights: the name that stands for one, or a sentence."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from model import open_capture
from web.cache import uploaded_captures
from web.server import capture_upload

CAPTURE = open_capture([[[[1.0, 0.0], [0.5, 0.5]]]], ["a", "b"], special=[False, False])
URL = f"/{capture_upload.UPLOAD_URL}?name=my%20run.npz"


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(Starlette(routes=capture_upload.ROUTES), base_url="http://localhost")


def test_a_file_gets_a_name_for_the_model(client: TestClient) -> None:
    name = client.post(URL, content=CAPTURE.to_npz()).json()["model"]
    assert name.startswith("file:") and name.endswith(":my run.npz")
    assert uploaded_captures.capture(name).tokens == ("a", "b")


def test_a_refusal_is_a_sentence(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(content: object) -> str:
        answer = client.post(URL, content=content)
        assert answer.status_code in (400, 503)
        return answer.json()["error"]

    assert "not a capture" in refused(b"text")
    monkeypatch.setattr(capture_upload, "MAX_BYTES", 2 * 2**20)
    for content in (bytes(2**21 + 1), iter([bytes(2**21), b"x"])):  # in chunks, too
        assert "more than 2 MB" in refused(content)
    monkeypatch.setattr(capture_upload, "TIMEOUT", 0.0)
    assert "Try again" in refused(b"text")


def test_another_site_cannot_upload(client: TestClient) -> None:
    answer = client.post(URL, content=CAPTURE.to_npz(), headers={"origin": "https://evil.example"})
    assert answer.status_code == 403
