"""What a server allows its visitors, by its address, its command line and its environment."""

import subprocess
import sys
from pathlib import Path

import pytest

from pages.shared.settings import ANY_MODEL, DATA, DATABASE, HOSTS, METRICS, ROOMS, for_address

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "localhost", "127.1.2.3"])
def test_whoever_is_alone_may_open_any_model(address: str) -> None:
    assert for_address(address, environment={}).any_model


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.5", "laptop.local", "", None])
def test_a_server_for_others_shows_its_list(address: str | None) -> None:
    assert not for_address(address, environment={}).any_model
    assert for_address(address, any_model=True, environment={}).any_model
    assert for_address(address, environment={ANY_MODEL: "1"}).any_model
    assert not for_address(address, environment={ANY_MODEL: "0"}).any_model


def test_behind_a_proxy_others_reach_a_local_address() -> None:
    behind = for_address("127.0.0.1", environment={HOSTS: "Lab.example.org, other.example"})
    assert behind.hosts == ("lab.example.org", "other.example")
    assert not behind.any_model


def test_metrics_are_nobodys_unless_allowed() -> None:
    assert not for_address("127.0.0.1", environment={}).metrics
    assert for_address("127.0.0.1", environment={METRICS: "1"}).metrics


def test_rooms_are_kept_where_one_says(tmp_path: Path) -> None:
    assert for_address("127.0.0.1", environment={}).rooms
    assert not for_address("127.0.0.1", rooms=False, environment={}).rooms
    assert not for_address("127.0.0.1", environment={ROOMS: "0"}).rooms
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    found = for_address("127.0.0.1", data=here, environment={DATA: there})
    assert found.database == tmp_path / "here" / "rooms.sqlite"
    found = for_address("127.0.0.1", environment={DATA: there})
    assert found.database == tmp_path / "there" / "rooms.sqlite"
    usual = for_address("127.0.0.1", environment={}).database
    assert isinstance(usual, Path) and usual.is_absolute() and usual.parent.name == "headlight"
    url = "postgresql://headlight@localhost/headlight"
    assert for_address("127.0.0.1", data=here, environment={DATABASE: url}).database == url
    assert not list(tmp_path.iterdir())


def test_streamlit_run_binds_to_this_machine_and_takes_small_messages() -> None:
    program = (
        "import app, streamlit as st\n"
        "print(st.get_option('server.address'), st.get_option('server.maxWidgetStateSize'))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["127.0.0.1", "2"]
