"""Presentation mode on the server: links, captions, and the target of arrow keys."""

import json
from urllib.parse import parse_qsl

import pytest
import streamlit as st

from tests.pages.visit import Visit
from web.widgets.present import Walk


@pytest.mark.parametrize(
    ("path", "view", "caption", "walk"),
    [
        ("", {"layer": "2", "head": "7"}, "Each picture is one head: rows", None),
        ("layers", {"layer": "4"}, "Mean over heads · scratch · minilm", (4, 0, 6, 1)),
        ("positions", {"kind": "schemes"}, "Other schemes", None),
    ],
)
def test_the_caption_describes_the_view_and_links_keep_the_mode(path, view, caption, walk):
    page = Visit(path)
    page.query_params.update({"present": "2", **view})
    page.run()
    assert not page.exception and page.query_params["present"] == "2"
    links = [dict(parse_qsl(link.proto.query_string)) for link in page.get("page_link")]
    assert (links or path) and all(link["present"] == "2" for link in links)
    sent = (component.proto.json for component in page.get("bidi_component"))
    (payload,) = [data for (data,) in map(json.loads, filter(None, sent)) if "text" in data]
    assert payload["text"].startswith(caption)
    names = ("layer", "head", "layers", "heads")
    assert payload.get("walk") == (walk and dict(zip(names, walk, strict=True)))


def test_arrow_keys_stop_at_the_last_layer_and_head(monkeypatch):
    state = {"t_layer": 9, "t_head": 1, "layer": 0, "head": 4}
    monkeypatch.setattr(st, "session_state", state)
    walk = Walk(3, 5, "t_")
    assert walk.place() == (2, 1)
    walk.go(7, -1)
    assert (state["t_layer"], state["t_head"]) == (2, 0)
    Walk(3).go(1, 2)  # a walk through whole layers keeps the selected head
    assert (state["layer"], state["head"]) == (1, 4)
