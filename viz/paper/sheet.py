"""A sheet of paper with cells, lines and text, saved as PDF, SVG or PNG.

Coordinates are points (1/72 inch) from the top left corner. Text is embedded as TrueType in a PDF
and as outlines in an SVG. matplotlib is imported on the first export, because it takes 48 MB.
"""

import io
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal, get_args

import numpy as np

from viz.style.theme import PAPER_NOTE

Format = Literal["pdf", "svg", "png"]
FORMATS: tuple[Format, ...] = get_args(Format)
Named = Sequence[tuple[str, str]]
"""The id of each drawn shape in an SVG, and the text that hovering over it shows."""

POINTS = 72 / 25.4
"""Points in a millimetre."""

TEXT = 7.0
"""Font size of names and captions in points, which most journals ask for."""

LEGIBLE = 4.0
"""Smallest legible font size in points."""

MARGIN = 3.0

_CHINESE = ("Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "Microsoft YaHei")
FONTS = ("DejaVu Sans", *_CHINESE, "Source Han Sans SC", "WenQuanYi Zen Hei")
"""Fonts in the order of preference; the first comes with matplotlib, the others have Chinese."""

_SETTINGS = {
    "text.parse_math": False,  # a token may contain $
    "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3
    "svg.fonttype": "path",
    "savefig.bbox": None,  # a user's "tight" would change the width
    "svg.hashsalt": "headlight",  # the same figure gives the same bytes
}
_settings_lock = threading.Lock()
"""matplotlib's settings belong to the process."""

_DESCRIPTION = re.compile(
    rb'<dc:description[^>]*>(.*?)</dc:description>|<meta name="description" content="(.*?)">',
    re.DOTALL,
)
"""Of an SVG, and of a page."""

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Sheet:
    """Shapes and text on a sheet, in points; a drawing increases the height."""

    def __init__(self, width: float) -> None:
        self.width, self.height = width, MARGIN
        self._groups: list[tuple[str, Any, Named]] = []
        self._texts: list[tuple[float, float, str, dict[str, Any]]] = []

    def cells(
        self, group: str, boxes: np.ndarray, colours: Sequence[Any] | np.ndarray, names: Named = ()
    ) -> None:
        """Draw filled rectangles: left, top, width and height in points, (N, 4)."""
        from matplotlib.collections import PolyCollection

        # (N, 4) -> 4 x (N,); (N, 8) -> (N, 4, 2)
        x, y, w, h = boxes.T
        corners = np.stack([x, y, x + w, y, x + w, y + h, x, y + h], -1).reshape(-1, 4, 2)
        # An edge of the same colour closes the gaps that viewers draw between adjacent shapes.
        drawn = PolyCollection(corners, facecolors=colours, edgecolors="face", linewidths=0.1)
        self._groups.append((group, drawn, names))

    def lines(
        self,
        group: str,
        segments: np.ndarray,
        colours: Sequence[Any] | np.ndarray,
        widths: float | np.ndarray = 0.5,
        names: Named = (),
    ) -> None:
        """Draw straight lines between points, (N, 2, 2), with widths in points."""
        from matplotlib.collections import LineCollection

        drawn = LineCollection(segments, colors=colours, linewidths=widths)
        self._groups.append((group, drawn, names))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = TEXT,
        *,
        across: Literal["left", "center", "right"] = "center",
        turned: bool = False,
        **more: Any,
    ) -> None:
        """Write a line of text, centred vertically on its point, in points from the top left."""
        style = {"size": size, "ha": across, "va": "center", "rotation": 90 * turned, **more}
        self._texts.append((x, y, _printable(text), style))

    def paragraph(self, text: str, size: float = TEXT, **more: Any) -> None:
        """Write a text below everything on the sheet, in as many lines as the width needs."""
        for line in _wrapped(_printable(text), (self.width - 2 * MARGIN) / size):
            self.text(MARGIN, self.height + 0.6 * size, line, size, across="left", **more)
            self.height += 1.25 * size

    def to_bytes(self, form: Format, dpi: float, title: str, description: str) -> bytes:
        """Write the sheet as a file, with a title and an ASCII description in its metadata."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width / 72, self.height / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        for group, drawn, _ in self._groups:
            drawn.set(gid=group, clip_on=False)
            axes.add_collection(drawn, autolim=False)
        for x, y, text, style in self._texts:
            # A ligature is another letter when a reader searches the PDF.
            axes.text(x, y, text, rotation_mode="anchor", fontfeatures=["-liga"], **style)
        file = io.BytesIO()
        figure.savefig(file, format=form, dpi=dpi, metadata=_metadata(form, title, description))
        return self._finished(file.getvalue()) if form == "svg" else file.getvalue()

    def _finished(self, svg: bytes) -> bytes:
        """Set the size in millimetres, and name the shapes."""
        width, height = (f"{side / POINTS:.3f}mm" for side in (self.width, self.height))
        size = f'role="img" width="{width}" height="{height}"'
        text = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', size, svg.decode(), count=1)
        for group, _, names in self._groups:
            if names:
                before, start, rest = text.partition(f'<g id="{group}">')
                inside, end, after = rest.partition("</g>")
                inside = re.sub("<path ([^>]*)/>", _named(names), inside)
                text = "".join((before, start, inside, end, after))
        return text.encode()


def _printable(text: str) -> str:
    """Replace the characters that an SVG cannot contain."""
    return _NOT_XML.sub("\ufffd", text)


def _named(names: Iterable[tuple[str, str]]) -> Callable[[re.Match[str]], str]:
    each = iter(names)

    def name(path: re.Match[str]) -> str:
        shape, text = next(each)
        title = escape(_printable(text), quote=False)
        return f'<path id="{shape}" {path[1]}><title>{title}</title></path>'

    return name


def _metadata(form: Format, title: str, description: str) -> dict[str, str | None]:
    """Metadata by the names that each format has for them."""
    if form == "pdf":
        return {
            "Title": title,
            "Subject": description,
            "Creator": "Headlight",
            "CreationDate": None,
        }
    software = (
        {"Creator": "Headlight", "Date": None} if form == "svg" else {"Software": "Headlight"}
    )
    return {"Title": _printable(title), "Description": description, **software}


@dataclass(frozen=True, repr=False)
class PaperFigure:
    """A figure for a paper, whose file states where its numbers come from. Notebooks draw it.

    Attributes:
        draw: Draws below everything that is on a sheet, and increases its height.
    """

    title: str
    caption: str
    note: str
    draw: Callable[[Sheet], None]
    facts: Mapping[str, Any]

    def __repr__(self) -> str:
        """Return one line: the cells would fill hundreds."""
        return f"PaperFigure({self.title!r})"

    def _repr_png_(self) -> bytes:
        return self.to_bytes("png", dpi=200)

    def save(self, path: str | Path, *, width_mm: float = 85, dpi: float = 300) -> None:
        """Write a file in the format of its ending.

        Raises:
            ValueError: If the ending is another one.
        """
        form = Path(path).suffix[1:].lower()
        if form not in FORMATS:
            raise ValueError(f"The file ends in .{form}. Choose one of {', '.join(FORMATS)}.")
        Path(path).write_bytes(self.to_bytes(form, width_mm=width_mm, dpi=dpi))

    def to_bytes(self, form: Format, *, width_mm: float = 85, dpi: float = 300) -> bytes:
        """Write the content of a file."""
        from matplotlib import rc_context

        facts = json.dumps({**self.facts, "title": self.title, "width_mm": width_mm})
        with _settings_lock, rc_context({**_SETTINGS, "font.family": _families()}):
            sheet = Sheet(width_mm * POINTS)
            sheet.paragraph(self.title, weight="bold")
            sheet.paragraph(self.caption)
            sheet.height += MARGIN
            self.draw(sheet)
            sheet.paragraph(self.note, 5, color=PAPER_NOTE)
            sheet.height += MARGIN
            return sheet.to_bytes(form, dpi, self.title, facts)


def provenance(path: str | Path) -> dict[str, Any]:
    """Read what a saved figure states about its numbers.

    Args:
        path: A PDF, SVG or PNG file of :meth:`PaperFigure.save`, or any picture, page or
            Parquet file that Headlight has exported.

    Returns:
        The model, its revision and the hash of its weights, the text, the layer and the head, the
        versions of Headlight, torch and transformers, the citation, and of files of the Export
        button the link of the page and the Python code.

    Raises:
        ValueError: If Headlight did not write the file.
    """
    from PIL import Image
    from pypdf import PdfReader

    content = Path(path).read_bytes()
    found: str | bytes | None
    if content.startswith(b"%PDF"):
        metadata = PdfReader(io.BytesIO(content)).metadata
        found = metadata.subject if metadata else None
    elif content.startswith(b"\x89PNG"):
        found = Image.open(io.BytesIO(content)).info.get("Description")
    elif content.startswith(b"PAR1"):
        from pyarrow import parquet

        found = (parquet.read_schema(io.BytesIO(content)).metadata or {}).get(b"headlight")
    else:
        inside = _DESCRIPTION.search(content)
        found = unescape(inside[inside.lastindex or 0].decode()) if inside else None
    try:
        return dict(json.loads(found or ""))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is not a figure of Headlight.") from error


# -- text ------------------------------------------------------------------------------------------


@cache
def _families() -> list[str]:
    """The preferred fonts that this system has."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    # matplotlib's list is of the day when it was first used: fonts may have been installed since.
    for file in {*findSystemFonts()} - {font.fname for font in fontManager.ttflist}:
        with suppress(OSError, RuntimeError):  # a file of another format
            fontManager.addfont(file)
    names = {font.name for font in fontManager.ttflist}
    return [family for family in FONTS if family in names]


def missing_characters(text: str) -> str:
    """The characters of a text that no font of this system can draw in a figure for a paper."""
    from matplotlib.font_manager import findfont, get_font

    fonts = [get_font(findfont(family)) for family in _families()]
    characters = dict.fromkeys(text)
    return "".join(c for c in characters if not any(f.get_char_index(ord(c)) for f in fonts))


def room(texts: Iterable[str], *, bold: bool = False) -> float:
    """Width of the longest text as a multiple of the font size."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    renderer = RendererAgg(1, 1, 72)
    large = FontProperties(family=_families(), size=100, weight="bold" if bold else "normal")
    measured = (renderer.get_text_width_height_descent(_printable(t), large, False) for t in texts)
    return max((width / 100 for width, _, _ in measured), default=0.0)


def _wrapped(text: str, width: float) -> list[str]:
    """The lines of a text, of at most a width in multiples of the font size."""
    letters = len(text)
    while True:
        lines = wrap(text, max(letters, 1))
        if letters <= 1 or room(lines, bold=True) <= width:
            return lines
        letters = int(0.95 * letters)
