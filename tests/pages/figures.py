"""The figures of a page that was run without a browser, as the browser would be sent them."""

import json
from typing import Any, NamedTuple

from streamlit.testing.v1 import AppTest


class Figure(NamedTuple):
    """What a chart was sent."""

    key: str
    spec: dict[str, Any]  # Plotly's: data and layout
    alt: str
    said: dict[str, Any]  # all of it, the figure too


def figures(page: AppTest) -> list[Figure]:
    """All of them, in their order on the page."""
    nodes = [
        node for node in page.get("bidi_component") if node.proto.component_name.endswith("_chart")
    ]
    told = [json.loads(node.proto.bytes) for node in nodes]
    assert [node.key for node in nodes] == [f"{each['key']}_chart" for each in told]
    return [Figure(each["key"], each["figure"], each["alt"], each) for each in told]


def figure(page: AppTest, key: str) -> Figure:
    """The one in the container of this key."""
    (found,) = [each for each in figures(page) if each.key == key]
    return found
