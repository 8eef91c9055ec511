"""Tables of positions: the sinusoids of any size, and what models learned."""

import math

import numpy as np
import streamlit as st
import torch

from model import LoadedModel
from model.transformer.positions import (
    frequencies,
    sinusoids_at,
)
from pages import components
from pages.positions.address import check_sizes
from pages.positions.parts import choose_sizes, refusing, section
from pages.shared import cache
from pages.shared.charts import chart
from pages.shared.language import _
from pages.shared.model_picker import pick_model
from pages.shared.recipe import SIDES
from viz import Side
from viz.figures.offsets import offset_curve
from viz.figures.positions import (
    MAX_COLUMNS,
    MAX_ROWS,
    components_plot,
    dimension_curves,
    encoding_heatmap,
    similarity_heatmap,
    strided,
    wavelength_chart,
)
from viz.style.formula import mathml
from viz.style.theme import rgb

MAX_CURVES = 12


# -- sinusoids -----------------------------------------------------------------------------------


@section
def sinusoidal() -> None:
    """Draw the sinusoidal encoding (Vaswani et al. 2017, section 3.5)."""
    with st.container(horizontal=True, horizontal_alignment="center"):  # two lines on a phone
        st.latex(r"PE_{(pos,\,2i)} = \sin\frac{pos}{base^{2i/d_{model}}}", width="content")
        st.latex(r"PE_{(pos,\,2i+1)} = \cos\frac{pos}{base^{2i/d_{model}}}", width="content")
    choose_sizes()
    with refusing():
        _sinusoids(
            st.session_state["length"], st.session_state["d_model"], st.session_state["base"]
        )


def _sinusoids(length: int, d_model: int, base: float) -> None:
    check_sizes(length, d_model, base)
    omega = frequencies(d_model, base)
    rows, columns = strided(length, MAX_ROWS), strided(d_model, MAX_COLUMNS)
    table = sinusoids_at(torch.tensor(rows), d_model, base).numpy()
    name = f"{length}x{d_model}_base-{base:g}"
    chart(
        encoding_heatmap(
            table[:, columns],
            rows=rows,
            columns=columns,
            top=1.0,
            title=_("Sinusoidal encoding"),
            subtitle=_("{length} positions × {d_model} dimensions, base {base:g}").format(
                length=length, d_model=d_model, base=base
            ),
            translate=_,
        ),
        "sinusoids",
        f"sinusoids_{name}",
        _(
            "Heat map of the sinusoidal encoding, {length} positions by {d_model} dimensions."
        ).format(length=length, d_model=d_model),
    )
    _drawn(length, d_model, rows, columns)
    left, right = st.columns(2)
    with left:
        _curves(length, d_model, base)
    with right:
        pair = _choose_pair(d_model)
        chart(
            wavelength_chart((2 * math.pi / omega).numpy(), length, pair, translate=_),
            "wavelengths",
            f"wavelengths_{d_model}_base-{base:g}",
            _("Wavelength of each pair of dimensions, {low:.2f} to {high:.6g} positions.").format(
                low=2 * math.pi / omega[0].item(), high=2 * math.pi / omega[-1].item()
            ),
        )
    _phasor(length, pair, omega[pair].item())


def _drawn(length: int, d_model: int, rows: np.ndarray, columns: np.ndarray) -> None:
    """Say what of a large table is drawn: no screen has a pixel for every cell."""
    steps = [int(x[1] - x[0]) if len(x) > 1 else 1 for x in (rows, columns)]
    if max(steps) > 1:
        st.caption(
            _(
                "Of {cells:,} values {drawn:,} are drawn: one position in {rows}, one dimension in "
                "{columns}. Each is exact; none is an average."
            ).format(
                cells=length * d_model,
                drawn=len(rows) * len(columns),
                rows=steps[0],
                columns=steps[1],
            )
        )


def _curves(length: int, d_model: int, base: float) -> None:
    known = [dim for dim in st.session_state["dims"] if dim < d_model][:MAX_CURVES]
    st.session_state["dims"] = known or [0]
    st.multiselect(
        _("Dimensions drawn as curves"),
        range(d_model),
        key="dims",
        max_selections=MAX_CURVES,
        persist_state="session",
    )
    dims = sorted(st.session_state["dims"]) or [0]
    table = sinusoids_at(torch.arange(length), d_model, base)[:, dims].numpy()
    chart(
        dimension_curves(
            table, dims, title=_("Even dimensions are sines, odd ones cosines"), translate=_
        ),
        "curves",
        f"curves_{length}x{d_model}",
        _("Curves of the chosen dimensions over the position."),
    )


def _choose_pair(d_model: int) -> int:
    last = d_model // 2 - 1
    st.session_state["wave"] = min(max(st.session_state["wave"], 0), last)
    st.number_input(
        _("Pair of dimensions"),
        min_value=0,
        max_value=last,
        key="wave",
        persist_state="session",
        help=_("Pair i holds dimensions 2i (sine) and 2i + 1 (cosine)."),
    )
    return int(st.session_state["wave"])


def _phasor(length: int, pair: int, omega: float) -> None:
    components.phasor(
        {
            "omega": omega,
            "last": length - 1,
            "colour": rgb("right"),
            "second": rgb("left"),
            "formula": mathml(
                rf"PE_{{(pos,\,{2 * pair})}} = \sin(\omega \cdot pos),\quad "
                rf"PE_{{(pos,\,{2 * pair + 1})}} = \cos(\omega \cdot pos),\quad "
                rf"\omega = {omega:.6g}"
            ),
            "strings": {
                "title": _("Pair {pair}: a point that turns").format(pair=pair),
                "position": _("position"),
                "angle": _("angle"),
                "turns": _("turns"),
                "sine": _("sine, dimension {dim}").format(dim=2 * pair),
                "cosine": _("cosine, dimension {dim}").format(dim=2 * pair + 1),
            },
        },
        key="phasor",
    )
    st.caption(
        _(
            "One turn takes {wavelength:.6g} positions. A quick pair tells neighbours apart, a "
            "slow one near from far: like the digits of a number, or the hands of a clock."
        ).format(wavelength=2 * math.pi / omega)
    )


# -- learned tables ------------------------------------------------------------------------------


@section
def learned() -> None:
    """Draw what the chosen models add for each position, side by side."""
    st.markdown(
        _(
            "BERT does not compute its positions: it **learned** one vector for each of 512 "
            "places. Beside it a table of our own encoder; the same pictures of both:"
        )
    )
    labels = {"left": _("Left model"), "right": _("Right model")}
    for side, column in zip(SIDES, st.columns(2), strict=True):
        with column:
            model = pick_model(side, labels[side])
            if model.position_table is None:
                st.info(
                    _(
                        "This model adds nothing for a position: it tells order in another way "
                        "(see Rotary)."
                    )
                )
            else:
                _table(model, model.position_table, side)
                _offsets(model.name, side)


def _table(model: LoadedModel, table: torch.Tensor, side: Side) -> None:
    length, d_model = table.shape
    rows, columns = strided(length, MAX_ROWS), strided(d_model, MAX_COLUMNS)
    values = table.numpy()
    top = float(np.quantile(np.abs(values), 0.995))
    chart(
        encoding_heatmap(
            values[np.ix_(rows, columns)],
            rows=rows,
            columns=columns,
            top=top,
            title=_("{model}: what is added for each position").format(model=model.name),
            subtitle=_(
                "{length} × {d_model}; the darkest colour stands for ±{top:.3g} and beyond"
            ).format(length=length, d_model=d_model, top=top),
            translate=_,
        ),
        f"table_{side}",
        f"positions_{model.name}",
        _("Heat map of the position table of {model}, {length} by {d_model}.").format(
            model=model.name, length=length, d_model=d_model
        ),
    )
    _drawn(length, d_model, rows, columns)
    chart(
        similarity_heatmap(
            cache.position_cosines(model.name)[np.ix_(rows, rows)],
            rows,
            title=_("Cosine similarity of all positions"),
            subtitle=model.name,
            translate=_,
        ),
        f"similarity_{side}",
        f"similarity_{model.name}",
        _("Cosine similarity of all positions with all positions of {model}.").format(
            model=model.name
        ),
    )
    coordinates, explained = cache.position_components(model.name)
    chart(
        components_plot(
            coordinates,
            explained,
            title=_("Principal components of the table"),
            subtitle=model.name,
            translate=_,
        ),
        f"components_{side}",
        f"components_{model.name}",
        _("The positions of {model} along their first two principal components.").format(
            model=model.name
        ),
    )


def _offsets(name: str, side: Side) -> None:
    mean, low, high = cache.position_products(name)
    chart(
        offset_curve(
            np.arange(len(mean)),
            {name: (mean, low, high)},
            y_title=_("dot product"),
            title=_("Dot product of two positions by offset"),
            translate=_,
        ),
        f"offsets_{side}",
        f"dot-products_{name}",
        _("Mean, smallest and largest dot product of {model} at each offset.").format(model=name),
    )
    spread, scale = float((high - low).max()), float(np.abs(mean).max())
    if spread < 1e-3 * scale:
        says = _(
            "A function of the offset alone: at no offset do products spread by more than {x:.1g}."
        )
    else:
        says = _("Not of the offset alone: at the same offset, products spread by up to {x:.3g}.")
    st.caption(says.format(x=spread))
