"""What a server allows its visitors, by its address, its command line and its environment."""

import subprocess
import sys
from pathlib import Path

import pytest

from pages.shared.settings import ANY_MODEL, HOSTS, METRICS, for_address

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


def test_streamlit_run_binds_to_this_machine_and_takes_small_messages() -> None:
    program = (
        "import app, streamlit as st\n"
        "print(st.get_option('server.address'), st.get_option('server.maxWidgetStateSize'))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["127.0.0.1", "2"]
