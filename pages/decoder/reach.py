"""How far a pattern reaches: which tokens may have been heard of after some layers."""

import pandas as pd
import streamlit as st
import torch

from model.transformer.masks import layers_needed
from pages.decoder.chosen import Scene, name_of
from pages.decoder.notebook import reach_lines
from pages.shared.charts import THEME_TEXT, chart
from pages.shared.language import _, ngettext
from pages.shared.source import show_source
from pages.shared.tables import cells
from pages.shared.take_away import stem, take_away
from viz import shortened
from viz.figures.masks import reach_figure


def reach(seen: Scene) -> None:
    """Draw after how many layers each token may know of each other, and list how many do."""
    needed = layers_needed(seen.asked)  # (T, T)
    picture, table = st.columns([3, 2])
    title = _("Layers until a token may know of another: {mask}").format(mask=name_of(seen.chosen))
    with picture:
        figure = reach_figure(
            needed.numpy(),
            seen.labels,
            title=title,
            subtitle=shortened(seen.text, 48),
            text_colour=THEME_TEXT,
            translate=_,
        )
        chart(figure, "reached", stem("reach", name_of(seen.chosen)), f"{title}. {_said(needed)}")
        take_away("reach", reach_lines(seen))
        show_source("reach", ["reach"])
    with table:
        st.markdown(_said(needed))
        _list(needed)
        st.caption(
            _(
                "Exact: a power of the mask, with each token's own path kept by the residual "
                "connection. It says what may be heard of, not how loudly."
            )
        )


def _said(needed: torch.Tensor) -> str:
    most = int(needed.max())
    if bool((needed < 0).any()):
        return _("**However many layers there are, {count} pairs never meet.**").format(
            count=int((needed < 0).sum())
        )
    return ngettext(
        "**After {count} layer every token may know of every other.**",
        "**After {count} layers every token may know of every other.**",
        most,
    ).format(count=most)


def _list(needed: torch.Tensor) -> None:
    most = int(needed.max())
    fields = [(needed >= 0) & (needed <= count) for count in range(most + 1)]  # (T, T) each
    known = [field.sum(dim=-1) for field in fields]
    table = pd.DataFrame(
        {
            _("after layers"): range(most + 1),
            _("cells"): [int(each.sum()) for each in known],
            _("share"): [float(field.double().mean()) for field in fields],
            _("narrowest row"): [int(each.min()) for each in known],
            _("widest row"): [int(each.max()) for each in known],
        }
    )
    st.dataframe(
        cells(table).style.format({_("share"): "{:.1%}"}),
        hide_index=True,
        height="content" if most < 9 else 350,
    )
