"""Settings from the address, the command line, the environment and the file."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from model import HeadlightError
from model.capture.tokens import MAX_CHARACTERS
from tests.model import checkpoints
from web import settings
from web.cache import loaded_models
from web.settings import FILE, Settings, for_address, of_command_line
from web.widgets.view_code import loading

ROOT = Path(__file__).parents[2]


def test_the_server_starts_without_torch_and_the_database() -> None:
    """Torch takes seconds to import and changes how the process allocates memory."""
    program = "import sys, web.settings, rooms.api.app; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"torch", "sqlalchemy"} & {*done.stdout.split()}


def test_a_local_server_allows_any_model_and_a_public_one_the_listed_ones() -> None:
    for address in ("127.0.0.1", "::1", "localhost", "127.1.2.3"):
        assert for_address(address, environment={}).any_model
    for address in ("0.0.0.0", "::", "192.168.1.5", "laptop.local", "", None):
        assert not for_address(address, environment={}).any_model
    allowed = {"HEADLIGHT_ALLOW_ANY_MODEL": "1"}
    assert for_address("0.0.0.0", environment=allowed).any_model
    hosts = {"HEADLIGHT_ALLOW_HOSTS": "Lab.example.org, other.example"}
    behind_proxy = for_address("127.0.0.1", environment=hosts)
    assert behind_proxy.hosts == ("Lab.example.org", "other.example")
    assert not behind_proxy.any_model


def test_the_rooms_database_can_be_configured(tmp_path: Path) -> None:
    assert for_address("127.0.0.1", environment={}).rooms
    assert not of_command_line(["--no-rooms"]).rooms
    there = {"HEADLIGHT_DATA": str(tmp_path / "there")}
    assert for_address(None, environment=there).rooms_in == tmp_path / "there" / "rooms.sqlite"
    url = "postgresql://headlight@localhost/headlight"
    assert for_address(None, environment={**there, "HEADLIGHT_DATABASE": url}).rooms_in == url


def test_the_command_line_precedes_the_environment_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(FILE).write_text('sessions = 3\nmemory = 700\nqueue = 5\nallow_host = ["One", "two"]\n')
    monkeypatch.setenv("HEADLIGHT_SESSIONS", "4")
    monkeypatch.setenv("HEADLIGHT_MEMORY", "800")
    options = of_command_line(["--sessions", "6", "--no-downloads", "--allow-any-model"])
    assert (options.sessions, options.memory, options.queue) == (6, 800, 5)
    assert options.hosts == ("One", "two")
    assert options.any_model and not options.downloads
    assert of_command_line(["--allow-host", "a", "--allow-host", "b"]).hosts == ("a", "b")
    assert Settings().sessions == 1_000  # without a server, environment and file are ignored
    assert Settings().characters == MAX_CHARACTERS


@pytest.mark.parametrize(
    ("file", "arguments", "message"),
    [
        ("sessions = 0", [], "sessions: Input should be greater than or equal to 1"),
        ("sesions = 9", [], "sesions: Extra inputs are not permitted"),
        ("sessions: 9", [], "Expected '=' after a key"),
        ("", ["--device", "gpu"], "device: Input should be 'cpu', 'cuda' or 'mps'"),
        ("", ["--device", "mps" if torch.cuda.is_available() else "cuda"], "PyTorch finds no "),
    ],
)
def test_invalid_settings_are_refused_with_a_message(
    file: str, arguments: list[str], message: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    """A misspelt limit would have no effect."""
    monkeypatch.chdir(tmp_path)
    Path(FILE).write_text(file)
    with pytest.raises(SystemExit):
        of_command_line(arguments)
    assert message in capsys.readouterr().err


def test_models_have_the_numbers_and_the_memory_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(checkpoints.save("bert", tmp_path / "tiny"))
    assert Settings().placement.max_bytes is None
    monkeypatch.setattr(settings, "_settings", of_command_line(["--max-model-memory", "1e-6"]))
    assert settings.now().placement.max_bytes == 1_000
    assert loading("minilm") == "load_model('minilm')"
    with pytest.raises(HeadlightError, match="--max-model-memory"):
        loaded_models.loaded_model(folder)
    monkeypatch.setattr(settings, "_settings", of_command_line(["--dtype", "bfloat16"]))
    assert loaded_models.loaded_model(folder).origin["dtype"] == "bfloat16"
    assert loading("minilm") == "load_model('minilm', dtype='bfloat16')"
    assert loading("scratch") == "load_model('scratch')"  # it refuses other numbers
