"""Content below a head's figure: exports, the link to the Calculator, the table of values."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from pages.explore.papers import papers
from pages.explore.selected_head import selected
from web.language import _
from web.subject import Subject
from web.view_state.address import link
from web.view_state.field import write_text
from web.widgets.export import figure_tools
from web.widgets.tables import cells
from web.widgets.view_code import head_code

CALCULATOR = Path(__file__).parents[1] / "calculator" / "page.py"


def draw_head_tools(view: Subject, weights: np.ndarray, top: float) -> None:
    """Draw the content below a head's figure."""
    with st.container(horizontal=True, vertical_alignment="center"):
        figure_tools(
            f"head_{view.side}",
            head_code(view, *selected(view)),
            view,
            figure=f"{st.session_state['view']}_{view.side}",
            papers=partial(papers, view, top),
        )
        st.page_link(
            CALCULATOR,
            label=_("Step by step"),
            icon=":material/calculate:",
            query_params=link(_as_head(view)),
        )
    table = st.expander(
        _("Table of values"), key=f"table_{view.side}", on_change="rerun", icon=":material/table:"
    )
    if table.open:
        allowed = view.allowed_in(selected(view)[0])
        if allowed is not None:  # masked cells have no number, also in the exported table
            weights = np.where(allowed, weights, np.float32(np.nan))
        keys = view.key_labels or view.labels
        frame = cells(pd.DataFrame(weights, index=view.labels, columns=keys))
        table.dataframe(frame.style.format("{:.6f}", na_rep=_("masked")))


def _as_head(view: Subject) -> dict[str, str]:
    """Return the URL parameters of this head in the Calculator."""
    layer, head = selected(view)
    address = {
        "mode": "head",
        "text": write_text(view.capture().text),
        "left": view.capture().model,
        "layer": str(layer),
        "head": str(head),
    }
    pair = view.capture().text_pair
    return address if pair is None else {**address, "pair": write_text(pair)}
