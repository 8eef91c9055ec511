"""Grammar over a treebank: the best head of each relation."""

import pandas as pd
import streamlit as st

from model.analysis.grammar.relations import MIN_PAIRS, RelationCounts
from pages.heads.selection import Place, head_table
from web.language import _, plain
from web.subject import Subject
from web.widgets import label_names
from web.widgets.head_picker import head_name


def relation_table(view: Subject, relations: RelationCounts, key: str, *, height: int) -> None:
    """Draw the best head of each relation, and list the relations with too few pairs."""
    found = relations.best_heads()
    heads: list[Place] = [(view.side, f.layer, f.head) for f in found]
    if found:
        head_table(
            pd.DataFrame(
                {
                    "relation": [label_names.relation(f.relation, f.direction) for f in found],
                    "code": [f.relation for f in found],
                    "head": [head_name(f.layer, f.head) for f in found],
                    "accuracy": [f.accuracy for f in found],
                    "baseline": [f.baseline for f in found],
                }
            ),
            heads,
            key,
            height=height,
            alt=_("The best head of each grammatical relation"),
            columns={
                "relation": st.column_config.TextColumn(_("From → to"), width=130),
                "code": None,  # hidden: a phone has space for four columns
                "head": st.column_config.TextColumn(_("Head"), width=56),
                "accuracy": st.column_config.NumberColumn(_("Accuracy"), width=69),
                "baseline": st.column_config.NumberColumn(_("Baseline"), width=69),
            },
            percents=["accuracy", "baseline"],
        )
    if rare := relations.rare():
        st.caption(
            _("Fewer than {pairs} pairs in a half of the sentences: {relations}.").format(
                pairs=MIN_PAIRS, relations=plain(", ".join(rare))
            )
        )
