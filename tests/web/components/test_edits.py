"""Edits in a component are acknowledged when they are received."""

from types import SimpleNamespace

import pytest
import streamlit as st

from web.components import edits


def test_received_edits_are_acknowledged_by_component(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", state)
    assert edits.acknowledged("grids") == 0
    fields = {"cells": {"q": [["1"]]}}
    state["grids"] = SimpleNamespace(edited={"number": 3, "fields": fields})
    assert edits.received("grids") == fields
    assert (edits.acknowledged("grids"), edits.acknowledged("steps")) == (3, 0)
    state["grids"] = SimpleNamespace(edited=None)  # a message without edits
    assert edits.received("grids") == {}
    assert edits.acknowledged("grids") == 3
