"""Reads the figures that a page in AppTest sends to the browser."""

import json
from typing import Any, NamedTuple

from streamlit.testing.v1 import AppTest


class Figure(NamedTuple):
    """The payload of a chart component."""

    key: str
    spec: dict[str, Any]  # Plotly's data and layout
    alt: str
    payload: dict[str, Any]  # the whole payload


def figures(page: AppTest) -> list[Figure]:
    """All figures of a page, from top to bottom."""
    nodes = [
        node for node in page.get("bidi_component") if node.proto.component_name.endswith("_chart")
    ]
    payloads = [json.loads(node.proto.bytes) for node in nodes]
    assert [node.key for node in nodes] == [f"{each['key']}_chart" for each in payloads]
    return [Figure(each["key"], each["figure"], each["alt"], each) for each in payloads]


def figure(page: AppTest, key: str) -> Figure:
    """The figure with this key."""
    (found,) = [each for each in figures(page) if each.key == key]
    return found
