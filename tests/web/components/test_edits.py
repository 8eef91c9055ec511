"""Edits in a component are acknowledged when they are received."""

from types import SimpleNamespace

import pytest
import streamlit as st

from web.components import edits


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    state: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def test_a_session_without_edits_acknowledges_none(state: dict[str, object]) -> None:
    assert edits.acknowledged("grids") == 0


def test_received_edits_are_acknowledged_by_component(state: dict[str, object]) -> None:
    fields = {"cells": {"q": [["1"]]}}
    state["grids"] = SimpleNamespace(edited={"number": 3, "fields": fields})
    assert edits.received("grids") == fields
    assert edits.acknowledged("grids") == 3
    assert edits.acknowledged("steps") == 0


def test_a_message_without_edits_keeps_the_acknowledgement(state: dict[str, object]) -> None:
    state["grids"] = SimpleNamespace(edited={"number": 3, "fields": {}})
    edits.received("grids")
    state["grids"] = SimpleNamespace(edited=None)
    assert edits.received("grids") == {}
    assert edits.acknowledged("grids") == 3
