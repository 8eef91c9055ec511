"""The menu of a figure: files for a paper, numbers, captures, code.

The server draws the files for a paper (:mod:`viz.paper`), the browser writes a figure's others.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import unescape
from typing import Any, Protocol

import streamlit as st
from plotly.graph_objects import Figure
from streamlit.delta_generator import DeltaGenerator

from model import AttentionCapture
from model.version import citation, version
from viz.paper.figures import facts_of, is_heatmap, paper_heatmap
from viz.paper.sheet import FORMATS, PaperFigure, missing_characters
from web import components
from web.inference.operations import array_turn, forward_queue
from web.language import _, later, plain
from web.model_name import model_name
from web.view_state.field import choice
from web.widgets.share_link import permalink
from web.widgets.view_code import PAPERS, ViewCode


class Captured(Protocol):
    """Anything that has a capture."""

    @property
    def model(self) -> str:
        """The model's name, used in file names."""

    def capture(self) -> AttentionCapture:
        """Return the capture."""


WIDTHS = 40.0, 85.0, 200.0
"""Least, usual and most millimetres of a figure's width."""


Paper = tuple[str, str, Callable[[Mapping[str, Any]], PaperFigure]]
"""A figure for a paper: its name, the stem of its file, and how to draw it with further facts."""


def stem(*parts: str) -> str:
    """Return the stem of a file name, of letters, digits, dots and hyphens."""
    cleaned = (re.sub(r"[^A-Za-z0-9.@]+", "-", part).strip("-.")[:48].strip("-.") for part in parts)
    return "_".join(filter(None, cleaned))


def figure_tools(
    key: str,
    code: ViewCode,
    *sides: Captured,
    figure: str = "",
    papers: Callable[[], Mapping[str, Paper]] = dict,
    page: Callable[[], bytes] | None = None,
) -> None:
    """Draw the menu of a figure: its files, the captures of its sides, and its code.

    Args:
        figure: Key of the figure's container.
        papers: Returns the figures for a paper by id; called when the menu is open.
        page: Makes the interactive page; None for the figure's own.
    """
    facts = figure_facts(code, [side.capture() for side in sides])
    # Hidden in present mode.
    with st.container(horizontal=True, width="content", key=f"off_stage_{key}_tools"):
        body = _menu(_("Export"), "download", f"menu_{key}")
        # The toolbar of a chart writes the facts into its files.
        components.files({"figure": figure, "titles": {}, "about": facts}, key=f"origin_{key}")
    if body is not None:
        with body:
            _exports(key, figure, facts, sides, papers(), page)
            _code(code, facts)


def code_menu(key: str, code: ViewCode) -> None:
    """Draw the menu with the code of a view without a capture."""
    body = _menu(_("Code"), "code", f"menu_{key}")
    if body is not None:
        with body:
            _code(code, figure_facts(code, []))


def _menu(label: str, icon: str, key: str) -> DeltaGenerator | None:
    """Draw a popover; return its body if it is open, because its content is computed on demand."""
    opened = st.popover(label, icon=f":material/{icon}:", key=key, on_change="rerun")
    # The browser places the popover before the content arrives, so its height is fixed.
    body: DeltaGenerator = opened.container(height=420, border=False)
    return body if opened.open else None


def _exports(
    key: str,
    figure: str,
    facts: Mapping[str, Any],
    sides: Sequence[Captured],
    papers: Mapping[str, Paper],
    page: Callable[[], bytes] | None,
) -> None:
    if papers:
        _paper_button(key, papers, facts)
    titles = {"csv": _("Download the numbers as CSV")}
    if page is None:
        titles["html"] = _("Download the figure as an interactive page")
    with st.container(horizontal=True):
        components.files({"figure": figure, "titles": titles}, key=f"files_{key}")
        if page is not None:
            _button(_("Interactive page"), f"{key}_page", "view.html", page)
    with st.container(horizontal=True):
        for number, request in enumerate(sides, start=1):
            name = model_name(request.model)
            whose = name if len(sides) == 1 else f"{number}: {name}"
            label = _("Capture as NPZ ({whose})").format(whose=plain(whose))
            file = f"{stem(name, request.capture().text.lower())}.npz"
            _button(label, f"{key}_{number}_npz", file, partial(_npz, request, facts["link"]))


def _code(code: ViewCode, facts: Mapping[str, Any]) -> None:
    if code.paper:
        name, section = code.paper.rsplit(", ", 1)
        link = f"https://arxiv.org/abs/{PAPERS[name]}"
        paper = _("The paper: [{name}, section {section}]({link})")
        st.markdown(paper.format(name=name, section=section, link=link))
    st.caption(_("In a notebook, where Headlight is installed:"))
    st.code(f"{comment(facts)}\n{code.text}", language="python")
    file, line, source = code.source
    st.caption(_("`{file}`, from line {line}").format(file=file, line=line))
    st.code(source, language="python")


def comment(facts: Mapping[str, Any]) -> str:
    """Return lines of Python comments that state where numbers come from."""
    captures = [facts, *facts.get("others", ())]
    models = {
        f"{each['model']}: revision {each['revision'] or '–'}, "
        f"weights sha256 {each['weights_sha256']}, torch {each['torch']}, "
        f"transformers {each['transformers']}": None
        for each in captures
        if "weights_sha256" in each
    }
    stated = [facts["citation"], facts["link"], *models]
    return "".join(f"# {line}\n" for line in stated)


def figure_facts(code: ViewCode, captures: Sequence[AttentionCapture]) -> dict[str, Any]:
    """Return what every file states about its numbers; see :func:`viz.paper.sheet.provenance`."""
    first, *others = map(facts_of, captures) if captures else [{}]
    compared = {"others": others} if others else {}
    about = {"headlight": version(), "citation": citation(), "link": permalink()}
    return {**first, **compared, **about, "code": code.text}


def heatmap_papers(figure: Figure, file_stem: str) -> dict[str, Paper]:
    """Return a chart as a figure for a paper, if it is a heatmap."""
    if not is_heatmap(figure):
        return {}
    name = unescape(figure.layout.title.text)
    return {"heatmap": (name, file_stem, partial(_heatmap_paper, figure))}


def _heatmap_paper(figure: Figure, facts: Mapping[str, Any]) -> PaperFigure:
    named = ("source", "text", "text_pair")
    texts = [each.get(name) for each in (facts, *facts.get("others", ())) for name in named]
    caption = " | ".join(dict.fromkeys(filter(None, texts)))
    return paper_heatmap(figure, facts, caption=caption, translate=_)


def _paper_button(key: str, papers: Mapping[str, Paper], facts: Mapping[str, Any]) -> None:
    """Draw the form of a file for a paper. The file is drawn when it is downloaded."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = next(iter(papers))
        if len(papers) > 1:
            st.session_state.setdefault(f"paper_{key}_kind", kind)
            names = {each: name for each, (name, *_rest) in papers.items()}
            kind = choice(_("Figure"), names, key=f"paper_{key}_kind").draw()
        st.session_state.setdefault(f"paper_{key}_format", FORMATS[0])
        formats = {each: each.upper() for each in FORMATS}
        form = choice(_("Format"), formats, key=f"paper_{key}_format").draw()
        narrow, usual, wide = WIDTHS
        width = st.number_input(
            _("Width in mm"), narrow, wide, usual, 5.0, "%.0f", f"paper_{key}_width", width=130
        )
        name, file, make = papers[kind]

        def drawn_now() -> bytes:
            figure = make(facts)
            with forward_queue.turn(heavy=True):
                # A browser can send any number.
                return figure.to_bytes(form, width_mm=min(width, wide))

        _button(_("Download for a paper"), f"{key}_paper", f"{file}.{form}", drawn_now)
    drawn = " ".join((name, _("Figure"), str(facts.get("text", ""))))
    if not drawn.isascii() and missing_characters(drawn):
        st.warning(
            _(
                "This file will have boxes in place of some characters: the server has no font for "
                "them. On Debian, install fonts-noto-cjk, and start Headlight again."
            )
        )


def _button(label: str, key: str, file: str, data: Callable[[], bytes]) -> None:
    file = f"headlight_{file}"
    st.download_button(label, data=later(data), file_name=file, key=key, on_click="ignore")


def _npz(request: Captured, link: str) -> bytes:
    capture = request.capture()
    with array_turn(capture.weights.size):
        return replace(capture, origin={**capture.origin, "link": link}).to_npz()
