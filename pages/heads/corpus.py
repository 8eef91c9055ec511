"""The part "Grammar over a corpus": each relation's best head and the best fixed distance."""

import pandas as pd
import streamlit as st

from pages.heads.panel import beside_panel
from pages.heads.selection import Place, head_table, is_decoder, named
from viz.style.labels import number
from web.language import _, plain
from web.widgets import label_names
from web.widgets.head_picker import head_name
from web.widgets.head_summary import atlas_of
from web.widgets.sides import SideRequest, SideView

TREEBANK = "en_ewt-ud-dev.conllu"
"""The corpus of the atlases that ship with Headlight; ``model/atlases/README.md`` describes it."""

COMMAND = "python -m model.analysis.survey --model … --data FILE.conllu"


def corpus(left_side: SideRequest, right_side: SideRequest) -> None:
    """Draw each model's best head for every relation, and the selected head."""
    left, right = left_side.view(), right_side.view()
    st.caption(
        _(
            "For each grammatical relation: the head that most often looks from one word to the "
            "other. The baseline knows no grammar and always looks the same number of words away "
            "(Clark et al. 2019, section 4.2). Head and number are chosen on half of the sentences "
            "and measured on the other half."
        )
    )
    with beside_panel(left, right, (3, 2)):
        for view, other in ((left, right), (right, left)):
            _table(view, other)
            if left.capture.model == right.capture.model:
                break


def _table(view: SideView, other: SideView) -> None:
    name = named(view, other)
    atlas = atlas_of(view.capture.model)
    if atlas is None and is_decoder(view):
        st.info(
            _(
                "{model} is a decoder and was not measured over a corpus: its words see no later "
                "word. “What heads do” shows its heads on random tokens."
            ).format(model=plain(name))
        )
        return
    if atlas is None:
        st.info(
            _(
                "{model} was not measured over a corpus yet. To measure it, run this command "
                "where Headlight is installed, with a treebank in CoNLL-U format: {command}"
            ).format(
                model=plain(name),
                command=f"`{COMMAND}`",
            )
        )
        return
    found = atlas.best_heads()
    st.markdown(f"**{plain(name)}**")
    heads: list[Place] = [(view.side, f.layer, f.head) for f in found]
    head_table(
        pd.DataFrame(
            {
                "relation": [label_names.relation(f.relation, f.direction) for f in found],
                "code": [f.relation for f in found],
                "head": [head_name(f.layer, f.head) for f in found],
                "accuracy": [f.accuracy for f in found],
                "baseline": [f.baseline for f in found],
                "offset": [number(f.offset, "+d") for f in found],
                "pairs": [f.pairs for f in found],
            }
        ),
        heads,
        f"corpus_{view.side}",
        height=410,
        alt=_("The best head of each grammatical relation"),
        columns={
            "relation": st.column_config.TextColumn(_("From → to"), width=130),
            "code": None,  # hidden: a phone has space for four columns
            "head": st.column_config.TextColumn(_("Head"), width=56),
            "accuracy": st.column_config.NumberColumn(_("Accuracy"), width=69),
            "baseline": st.column_config.NumberColumn(_("Baseline"), width=69),
            "offset": None,
            "pairs": None,
        },
        percents=["accuracy", "baseline"],
    )
    sentences = _("{sentences:,} sentences of {corpus}.").format(
        sentences=atlas.sentences, corpus=plain(atlas.corpus)
    )
    credit = (
        _("Its authors and licence are on the page About, below Documents.")
        if atlas.corpus == TREEBANK
        else ""
    )
    st.caption(f"{sentences} {credit}")
