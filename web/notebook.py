"""The capture view without a server: in one HTML file, and in a notebook.

It imports nothing of the app, so that the library alone has it.
"""

import base64
import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from model import AttentionCapture, NotInstalledError
from model.analysis.align import group_by_text
from model.analysis.units import units
from viz.view_payload import view_payload, view_strings
from web.capture_part import EVERYTHING, capture_part
from web.component_script import COMPONENTS, script
from web.plotly_bundle import PLOTLY

__all__ = ["show", "to_html"]

FOLDER = COMPONENTS / "capture_view"

PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><style>{style}</style></head>
<body><div id="view">{html}</div><div id="state"><i class="state" hidden></i></div>
<script>{plotly}</script>
<script>window.headlightFile = {file};</script>
<script type="module">{script}</script></body></html>
"""


def to_html(
    capture: AttentionCapture,
    path: str | Path,
    other: AttentionCapture | None = None,
    *,
    layer: int = 0,
    head: int = 0,
) -> Path:
    """Write the view of one or two captures to a file that opens without a server or a network.

    The file has Plotly in it (1.5 to 5 MB) and two bytes for each weight. ``layer`` and ``head``,
    from 0, are selected at first.
    """
    written = Path(path).expanduser()
    written.write_text(html(capture, other, left=(layer, head), right=(layer, head)), "utf-8")
    return written


def html(
    capture: AttentionCapture,
    other: AttentionCapture | None,
    *,
    left: tuple[int, int],
    right: tuple[int, int],
    language: str = "en",
    translate: Callable[[str], str] = str,
) -> str:
    """Return the page of :func:`to_html`, with a selected head for each capture."""
    selection = {"left": left, "right": right, "linked": left == right, "same": left == right}
    payload = base64.b64encode(_payload(capture, other, translate)).decode()
    return PAGE.format(
        language=language,
        title=escape(capture.model),
        style=_text("standalone.css") + _text("capture_view.css"),
        html=_text("capture_view.html"),
        plotly=_inside_script(PLOTLY.read_text("utf-8")),
        file=json.dumps({"payload": payload, "selection": selection}),
        script=_inside_script(script(FOLDER / "file.js")),
    )


def _text(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def _inside_script(text: str) -> str:
    """A script that does not end the element around it."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _payload(
    capture: AttentionCapture,
    other: AttentionCapture | None,
    translate: Callable[[str], str] = str,
) -> bytes:
    parts, groups = [capture_part(capture, "left", translate=translate)], None
    if other is not None:
        parts.append(capture_part(other, "right", translate=translate))
        if capture.tokens != other.tokens:
            groups = list(group_by_text(units(capture), units(other)))
    strings = view_strings(translate)
    return view_payload(parts, groups, key="view", show=EVERYTHING, strings=strings)


def show(capture: AttentionCapture, other: AttentionCapture | None = None) -> Any:
    """Return the view of one or two captures as a widget of Jupyter, VS Code or marimo.

    Its ``selection`` can be read and set: ``left``, ``right`` (layer and head), ``linked``,
    ``picked`` (units), ``overlaid``, ``view``, ``scale``. A NotInstalledError names the extra that
    is missing.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise NotInstalledError(
            "Notebooks need anywidget. Run: pip install headlight-attention[notebook]"
        ) from error

    class CaptureView(anywidget.AnyWidget):
        _esm = script(FOLDER / "notebook.js")
        _css = _text("standalone.css") + _text("capture_view.css")
        html = traitlets.Unicode(_text("capture_view.html")).tag(sync=True)
        plotly = traitlets.Unicode(PLOTLY.read_text("utf-8")).tag(sync=True)
        payload = traitlets.Bytes(_payload(capture, other)).tag(sync=True)
        selection = traitlets.Dict(
            {"left": [0, 0], "right": [0, 0], "linked": True, "same": True, "picked": []}
        ).tag(sync=True)

    return CaptureView()
