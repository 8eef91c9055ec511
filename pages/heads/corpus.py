"""The part "Grammar over a corpus": each relation's best head and the best fixed distance."""

import streamlit as st

from pages.heads.grammar import relation_table
from pages.heads.panel import beside_panel
from pages.heads.selection import is_decoder, named
from web.language import _, plain
from web.subject import Subject
from web.widgets.head_summary import atlas_of

TREEBANK = "en_ewt-ud-dev.conllu"
"""The corpus of the atlases that ship with Headlight; ``model/atlases/README.md`` describes it."""

COMMAND = "python -m training.atlases.write --model … --treebank FILE.conllu"


def corpus(left: Subject, right: Subject) -> None:
    """Draw each model's best head for every relation, and the selected head."""
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
            if left.capture().model == right.capture().model:
                break


def _table(view: Subject, other: Subject) -> None:
    name = named(view, other)
    atlas = atlas_of(view.capture().model)
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
                "in Headlight's repository, with a treebank in CoNLL-U format: {command}"
            ).format(model=plain(name), command=f"`{COMMAND}`")
        )
        return
    if not atlas.relations.selection:
        st.info(
            _(
                "{model} was measured over {corpus}, which has no trees. To measure grammar, run "
                "this command in Headlight's repository, with a treebank: {command}"
            ).format(model=plain(name), corpus=plain(atlas.corpus), command=f"`{COMMAND}`")
        )
        return
    st.markdown(f"**{plain(name)}**")
    relation_table(view, atlas.relations, f"corpus_{view.side}", height=410)
    sentences = _("{sentences:,} sentences of {corpus}.").format(
        sentences=atlas.sentences, corpus=plain(atlas.corpus)
    )
    credit = (
        _("Its authors and licence are on the page About, below Documents.")
        if atlas.corpus == TREEBANK
        else ""
    )
    st.caption(f"{sentences} {credit}")
