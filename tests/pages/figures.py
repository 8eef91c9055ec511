"""Reads what a page in AppTest sends to the browser."""

import base64
import json
import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from viz.canvas import MASKED, WHOLE
from web.cache import captures
from web.view_state.parameters import DEFAULT_TEXT


class Figure(NamedTuple):
    """The payload of a chart component."""

    key: str
    spec: dict[str, Any]  # Plotly's data and layout
    payload: dict[str, Any]  # the whole payload


def figures(page: AppTest) -> list[Figure]:
    nodes = [
        node for node in page.get("bidi_component") if node.proto.component_name.endswith("_chart")
    ]
    payloads = [json.loads(node.proto.bytes) for node in nodes]
    assert [node.key for node in nodes] == [f"{each['key']}_chart" for each in payloads]
    return [Figure(each["key"], each["figure"], each) for each in payloads]


def figure(page: AppTest, key: str) -> Figure:
    (found,) = [each for each in figures(page) if each.key == key]
    return found


def specs(page: AppTest) -> list[dict[str, Any]]:
    return [chart.spec for chart in figures(page)]


def trace(page: AppTest, chart: int | str, index: int = 0) -> dict[str, Any]:
    """A trace of a figure, by the figure's key or its place on the page."""
    spec = figure(page, chart).spec if isinstance(chart, str) else specs(page)[chart]
    return spec["data"][index]


def array(payload: dict[str, str] | list[float]) -> np.ndarray:
    """The values of a payload, decoded as in the browser."""
    if isinstance(payload, list):
        return np.array(payload)
    flat = np.frombuffer(base64.b64decode(payload["bdata"]), dtype=f"<{payload['dtype']}")
    return flat.reshape([int(n) for n in payload.get("shape", str(flat.size)).split(",")])


def weights(model: str, text: str = DEFAULT_TEXT, pair: str | None = None) -> np.ndarray:
    """The weights that the pages show, (L, H, T, T)."""
    return captures.capture(model, text, pair).weights


def z(page: AppTest, chart: int | str = 0) -> np.ndarray:
    """The values of a heatmap, (T, T)."""
    return array(trace(page, chart)["z"])


def view(page: AppTest) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The capture view: its header, and by side the weights (L, H, U, U), NaN where masked."""
    (node,) = [
        node for node in page.get("bidi_component") if node.proto.component_name.endswith("_view")
    ]
    sent = node.proto.bytes
    end = 4 + int.from_bytes(sent[:4], "little")
    header, planes = json.loads(sent[4:end]), np.frombuffer(sent[end:], np.uint8)
    low, high = planes.reshape(2, -1).astype(int)
    cells, sides = low + 256 * high, {}
    for subject in header["subjects"]:
        size = subject["size"]
        shape = subject["layers"], subject["heads"], size, subject.get("keys", subject)["size"]
        own, cells = np.split(cells, [int(np.prod(shape))])
        sides[subject["side"]] = np.where(own == MASKED, np.nan, own / WHOLE).reshape(shape)
    return header, sides


def shown(page: AppTest, side: str) -> np.ndarray:
    """The weights of the selected head of a side of a capture view, (U, U), in four decimals."""
    (state,) = [each for key, each in payloads(page).items() if key.startswith("state_")]
    selection = state["selection"]
    layer, head = selection["left" if side == "left" or selection["linked"] else "right"]
    every = view(page)[1][side]
    return every[min(layer, len(every) - 1), min(head, every.shape[1] - 1)]


def payloads(page: AppTest) -> dict[str, dict[str, Any]]:
    """The payloads of the components that get JSON, by key."""
    nodes = [node for node in page.get("bidi_component") if node.proto.json]
    return {node.key: json.loads(node.proto.json)[0] for node in nodes}


def tables(page: AppTest) -> list[pd.DataFrame]:
    """Every table of the page; in those of Streamlit, texts are escaped."""

    def read(cell: object) -> object:
        return as_read(cell) if isinstance(cell, str) else cell

    return [
        *(element.value.map(read).rename(columns=as_read) for element in page.table),
        *(
            pd.DataFrame(found["rows"], columns=[*found["columns"]])
            for key, found in payloads(page).items()
            if key.endswith("_table")
        ),
    ]


def address(page: AppTest) -> dict[str, str]:
    found = page.query_params.items()
    return {name: value if isinstance(value, str) else value[0] for name, value in found}


def words_on(page: AppTest) -> str:
    """All texts on the page, without Markdown escapes and links to the glossary."""
    kinds = ["markdown", "caption", "success", "info", "warning", "error", "toast"]
    words = "\n".join(str(element.value) for kind in kinds for element in page.get(kind))
    return as_read(words)


def as_read(words: str) -> str:
    """A text without Markdown escapes and links to the glossary."""
    words = re.sub(r'(?<!\\)\[((?:\\.|[^\]\n])*)\]\(#term "[^"]*"\)', r"\1", words)
    return words.replace("\\", "").replace("&#58;", ":")
