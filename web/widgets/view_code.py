"""Python code that computes what a view shows, and the source of the function behind it."""

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model import (
    align,
    difference,
    load_model,
    model_info,
    read_capture,
    scaled_dot_product_attention,
    unit_weights,
    units,
)
from model.catalogue.placement import CPU
from viz import attention_heatmap, difference_heatmap
from web import settings
from web.cache import uploaded_captures
from web.subject import Subject

ROOT = Path(__file__).parents[2]

PAPERS = {
    "Abnar & Zuidema 2020": "2005.00928",
    "Ba et al. 2016": "1607.06450",
    "Belrose et al. 2023": "2303.08112",
    "Beltagy et al. 2020": "2004.05150",
    "Choromanski et al. 2021": "2009.14794",
    "Clark et al. 2019": "1906.04341",
    "Devlin et al. 2018": "1810.04805",
    "Ioffe & Szegedy 2015": "1502.03167",
    "Kaplan et al. 2020": "2001.08361",
    "Kitaev et al. 2020": "2001.04451",
    "Kobayashi et al. 2020": "2004.10102",
    "Michel et al. 2019": "1905.10650",
    "Press et al. 2022": "2108.12409",
    "Raffel et al. 2020": "1910.10683",
    "Su et al. 2021": "2104.09864",
    "Vaswani et al. 2017": "1706.03762",
    "Wang et al. 2020": "2006.04768",
}
"""arXiv numbers."""


@dataclass(frozen=True)
class ViewCode:
    """Code of a view: statements without imports, of which the last is the figure or the numbers.

    Attributes:
        function: The function that computes the numbers; the menu prints its source.
        uses: Further functions and classes that the lines name.
        paper: A name of :data:`PAPERS` and a section, "Clark et al. 2019, 3"; "" without a paper.
    """

    lines: str
    function: Callable[..., Any]
    uses: tuple[Callable[..., Any], ...] = ()
    paper: str = ""

    @property
    def text(self) -> str:
        """The imports and the lines, which run in the repository and with the installed package."""
        known = {each.__name__ for each in (self.function, *self.uses)}
        used = {node.id for node in ast.walk(ast.parse(self.lines)) if isinstance(node, ast.Name)}
        modules = {"np": "import numpy as np", "torch": "import torch"}
        imports = [line for name, line in modules.items() if name in used]
        if ours := sorted(used & known):
            imports.append(f"from headlight import {', '.join(ours)}")
        return "\n".join([*imports, "", self.lines])

    @property
    def source(self) -> tuple[str, int, str]:
        """The file of the function in this repository, its first line and its source."""
        lines, first = inspect.getsourcelines(self.function)
        file = Path(inspect.getfile(self.function)).relative_to(ROOT)
        return file.as_posix(), first, "".join(lines).rstrip()


def loading(name: str) -> str:
    """Code that loads a model to the device and the numbers of this server."""
    place = CPU if model_info(name).from_scratch else settings.now().placement
    used = {"device": place.device, "dtype": place.dtype}
    changed = [f", {key}={value!r}" for key, value in used.items() if value != getattr(CPU, key)]
    return f"load_model({name!r}{''.join(changed)})"


def texts(request: Subject) -> str:
    """The arguments of a call: the sentence, or both sentences of a pair."""
    pair = "" if request.text_pair is None else f", {request.text_pair!r}"
    return f"{request.text!r}{pair}"


def attended(request: Subject, model: str = "model", capture: str = "capture") -> str:
    """Lines that load the model and capture the sentence or pair, or that read a file."""
    if uploaded_captures.is_file(request.model):
        return f"{capture} = read_capture({uploaded_captures.file_name(request.model)!r})"
    return f"{model} = {loading(request.model)}\n{capture} = {model}.attend({texts(request)})"


def units_of(request: Subject, capture: str = "capture") -> str:
    """The rows and columns of a capture for the request's display options."""
    hidden = request.special != "show"
    return f"units({capture}, merge_words={request.merge_words}, hide_special={hidden})"


def between_units(request: Subject, weights: str, shown: str = "shown") -> str:
    """Weights between tokens as weights between units."""
    return f"unit_weights({weights}, {shown}, renormalise={request.special == 'renormalise'})"


def heatmap_code(
    request: Subject,
    weights: str,
    function: Callable[..., Any],
    *uses: Callable[..., Any],
    paper: str = "",
    sink: bool = False,
) -> ViewCode:
    """Code of a heatmap for the request's display options, with the sink as a last column.

    ``weights`` is code of the weights between the tokens of ``capture``, by ``function``.
    """
    lines = [attended(request) + ".with_sink_key()" * sink]
    if request.merge_words or request.special != "show":
        labels = "[unit.label for unit in shown]"
        keys = f', [*{labels}, "sink"]' * sink
        lines += [
            f"shown = {units_of(request)}",
            f"weights = {between_units(request, weights)}",
            f"attention_heatmap(weights, {labels}{keys})",
        ]
    else:
        keys = ", capture.key_tokens" * sink
        lines.append(f"attention_heatmap({weights}, capture.tokens{keys})")
    used = (load_model, read_capture, units, unit_weights, attention_heatmap)
    return ViewCode("\n".join(lines), function, (*used, *uses), paper)


def head_code(request: Subject, layer: int, head: int) -> ViewCode:
    """Code of one head's heatmap."""
    weights, paper = f"capture.weights[{layer}, {head}]", "Vaswani et al. 2017, 3.2.1"
    sink = request.capture().sink is not None
    if uploaded_captures.is_file(request.model):
        return heatmap_code(request, weights, read_capture, sink=sink)
    return heatmap_code(request, weights, scaled_dot_product_attention, paper=paper, sink=sink)


def difference_code(
    first: Subject,
    second: Subject,
    weights: tuple[str, str],
    *uses: Callable[..., Any],
    function: Callable[..., Any] = difference,
    paper: str = "",
) -> ViewCode:
    """Code of the second side's weights minus the first's, between the units that correspond."""
    first_weights, second_weights = weights
    lines = [
        attended(first, capture="first"),
        attended(second, "other", "second"),
        f"ours, theirs = {units_of(first, 'first')}, {units_of(second, 'second')}",
        f"first_weights = {between_units(first, first_weights, 'ours')}",
        f"second_weights = {between_units(second, second_weights, 'theirs')}",
        "pairs = align(ours, theirs).pairs",
        "changed = difference(first_weights, second_weights, pairs)",
        "labels = [ours[i].label for i, _ in pairs]",
        "difference_heatmap(changed, labels, labels)",
    ]
    used = (load_model, read_capture, units, unit_weights, align, difference, difference_heatmap)
    return ViewCode("\n".join(lines), function, (*used, *uses), paper)
