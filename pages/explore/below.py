"""Below a head's figure: what to take away, the way to the Calculator, the table of values."""

from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from pages.explore.selected import selected
from web.language import _
from web.view_state.address import link
from web.view_state.parameters import write_text
from web.widgets.export import take_away
from web.widgets.notebook import head_lines
from web.widgets.sides import Shown
from web.widgets.source import show_source
from web.widgets.tables import cells

CALCULATOR = Path(__file__).parents[1] / "calculator" / "page.py"


def below(shown: Shown, weights: np.ndarray) -> None:
    """Draw them.

    Args:
        shown: The side.
        weights: Of its selected head between its units, (U, U).
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        lines = head_lines(shown.recipe, *selected(shown))
        take_away(f"head_{shown.side}", lines, shown.recipe, figure=f"heatmap_{shown.side}")
        st.page_link(
            CALCULATOR,
            label=_("Step by step"),
            icon=":material/calculate:",
            query_params=link(_as_head(shown)),
        )
    show_source(f"head_{shown.side}", ["head"], shown.recipe)
    table = st.expander(
        _("Table of values"), key=f"table_{shown.side}", on_change="rerun", icon=":material/table:"
    )
    if table.open:
        allowed = shown.allowed_in(selected(shown)[0])
        if allowed is not None:  # what the mask hides is no number, in what the table saves neither
            weights = np.where(allowed, weights, np.float32(np.nan))
        frame = cells(pd.DataFrame(weights, index=shown.labels, columns=shown.labels))
        table.dataframe(frame.style.format("{:.6f}", na_rep=_("masked")))


def _as_head(shown: Shown) -> dict[str, str]:
    """The Calculator's address of this head."""
    layer, head = selected(shown)
    address = {
        "mode": "head",
        "text": write_text(shown.capture.text),
        "left": shown.capture.model,
        "layer": str(layer),
        "head": str(head),
    }
    pair = shown.capture.text_pair
    return address if pair is None else {**address, "pair": write_text(pair)}
