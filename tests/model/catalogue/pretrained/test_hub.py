"""Downloads from a hub that the test serves."""

import socket
import time
from functools import partial

import pytest
from numpy.testing import assert_array_equal

from model import HeadlightError, NotDownloadedError, load_model
from model.catalogue.pretrained.hub import download
from tests.model import fake_hub
from tests.model.checkpoints import configure

REPO = "lab/tiny-bert"


@pytest.fixture
def repository(copied):
    """A published checkpoint with files that are not needed."""
    folder = copied("bert")
    for name in ("README.md", "pytorch_model.bin", "tokenizer.py", "vocab.pkl", "training.csv"):
        (folder / name).write_bytes(b"never fetched")
    return folder


@pytest.fixture
def hub(repository, monkeypatch):
    with fake_hub.serving(REPO, repository) as hub:
        here = partial(download, endpoint=hub.endpoint)
        monkeypatch.setattr("model.catalogue.pretrained.hub.download", here)
        yield hub


WANTED = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def test_a_download_fetches_the_files_of_the_model_which_then_loads_offline(hub, repository):
    with pytest.raises(NotDownloadedError):
        load_model(REPO, download=False)
    progress = []
    download(REPO, lambda done, total: progress.append((done, total)), endpoint=hub.endpoint)
    assert set(hub.fetched) == WANTED and len(hub.fetched) == len(WANTED)
    total = sum((repository / name).stat().st_size for name in WANTED)
    assert progress == sorted(progress)
    assert {of for _, of in progress} == {total}
    assert progress[-1] == (total, total)

    model, local = load_model(REPO, download=False), load_model(str(repository))
    assert model.name == REPO
    capture, expected = model.attend("it was the book"), local.attend("it was the book")
    assert_array_equal(capture.weights, expected.weights)
    assert capture.origin == {**expected.origin, "revision": fake_hub.REVISION}
    assert expected.origin["revision"] == ""

    hub.fetched.clear()  # cached files are not downloaded again, but advance the progress
    progress.clear()
    download(REPO, lambda *step: progress.append(step), endpoint=hub.endpoint)
    assert hub.fetched == [] and progress[-1] == (total, total)


def test_a_revision_is_downloaded_and_loads_offline(hub):
    name = f"{REPO}@{fake_hub.TAG}"
    with pytest.raises(NotDownloadedError, match=r"tiny-bert@v1\.2 is not on this machine"):
        load_model(name, download=False)
    download(name, endpoint=hub.endpoint)
    for revision in (fake_hub.TAG, fake_hub.REVISION):
        model = load_model(f"{REPO}@{revision}", download=False)
        assert model.name == f"{REPO}@{revision}"
        assert model.attend("it was").origin["revision"] == fake_hub.REVISION
    with pytest.raises(NotDownloadedError):  # the main branch was not downloaded
        load_model(REPO, download=False)


def test_marian_tokenizer_files_and_generation_settings_are_downloaded(opened):
    folder = opened("marian").folder
    with fake_hub.serving(REPO, folder) as hub:
        download(REPO, endpoint=hub.endpoint)
    assert set(hub.fetched) == {path.name for path in folder.iterdir()} - {"target.spm"}
    assert {"source.spm", "vocab.json", "generation_config.json"} <= set(hub.fetched)
    offline, local = load_model(REPO, download=False), opened("marian").model
    written = [each.generate("the dog", max_new_tokens=5).tokens for each in (offline, local)]
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_type": "mamba", "num_attention_heads": None}, "of type mamba"),
        ({"hidden_size": 2**20, "num_attention_heads": 4}, "There are .* GB for a model"),
    ],
)
def test_a_refused_model_is_not_downloaded(hub, repository, changes, reason):
    configure(repository, **changes)
    with pytest.raises(HeadlightError, match=reason):
        load_model(REPO)
    assert hub.fetched == ["config.json"]
    with pytest.raises(NotDownloadedError):
        load_model(REPO, download=False)


def test_an_interrupted_download_is_reported_and_can_be_resumed(hub, monkeypatch):
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
    hub.cut = "model.safetensors"
    with pytest.raises(HeadlightError, match=f"download of {REPO} stopped"):
        download(REPO, endpoint=hub.endpoint)
    with pytest.raises(NotDownloadedError):  # half a model does not count
        load_model(REPO, download=False)
    hub.cut = None
    hub.fetched.clear()
    assert load_model(REPO).n_layers == 2  # downloads the rest
    assert hub.fetched == ["model.safetensors"]


def test_pickles_and_an_unknown_model_are_refused(hub, repository, private_hub_cache):
    (repository / "model.safetensors").unlink()
    for name, reason in ((REPO, "has no safetensors"), ("lab/bart", "no public model called lab/")):
        with pytest.raises(HeadlightError, match=reason):
            download(name, endpoint=hub.endpoint)
    assert hub.fetched == [] and not private_hub_cache.exists()


def test_a_hub_that_does_not_respond_is_an_error_within_seconds():
    with socket.create_server(("127.0.0.1", 0), backlog=8) as listener:
        endpoint, start = f"http://127.0.0.1:{listener.getsockname()[1]}", time.perf_counter()
        with pytest.raises(HeadlightError, match="cannot reach the model hub"):
            download(REPO, endpoint=endpoint)
        assert time.perf_counter() - start < 3  # the limit is one second
