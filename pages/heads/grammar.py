"""Grammar over a treebank: the best head of each relation, and the atlas of a data set."""

import hashlib

import pandas as pd
import streamlit as st

from model import HeadlightError
from model.analysis.grammar.atlas import own_file, read_atlas
from model.analysis.grammar.atlas_writer import save_atlas
from model.analysis.grammar.relations import MIN_PAIRS, RelationCounts
from model.analysis.grammar.treebank import with_tree
from model.catalogue.model_size import fingerprint
from pages.heads.selection import Place, head_table
from viz.style.labels import number
from web import settings
from web.cache import loaded_models
from web.cache.surveys import Survey
from web.language import _, in_words, plain
from web.widgets import label_names
from web.widgets.head_picker import head_name
from web.widgets.sides import SideView
from web.widgets.tables import ROW


def relation_table(
    view: SideView, relations: RelationCounts, key: str, *, height: int, distances: bool = False
) -> None:
    """Draw the best head of each relation, and list the relations with too few pairs.

    Args:
        view: The side of the model.
        relations: Relation counts of every head.
        key: Unique on the page.
        height: Pixels of the table.
        distances: Whether the best fixed distance and the pairs have columns.
    """
    found = relations.best_heads()
    heads: list[Place] = [(view.side, f.layer, f.head) for f in found]
    more = {
        "offset": st.column_config.TextColumn(_("Fixed distance"), width=100),
        "pairs": st.column_config.NumberColumn(_("Pairs"), width=60),
    }
    if found:
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
            key,
            height=height,
            alt=_("The best head of each grammatical relation"),
            columns={
                "relation": st.column_config.TextColumn(_("From → to"), width=130),
                "code": None,  # hidden: a phone has space for four columns
                "head": st.column_config.TextColumn(_("Head"), width=56),
                "accuracy": st.column_config.NumberColumn(_("Accuracy"), width=69),
                "baseline": st.column_config.NumberColumn(_("Baseline"), width=69),
                **(more if distances else dict.fromkeys(more)),
            },
            percents=["accuracy", "baseline"],
        )
    if rare := relations.rare():
        st.caption(
            _("Fewer than {pairs} pairs in a half of the sentences: {relations}.").format(
                pairs=MIN_PAIRS, relations=plain(", ".join(rare))
            )
        )


def grammar(view: SideView, survey: Survey, corpus: str) -> None:
    """Draw the accuracies over a survey with trees, and the button that keeps them.

    Args:
        view: The side of the model.
        survey: With at least one finished text.
        corpus: Name of the treebank.
    """
    st.markdown("**{}**".format(_("Grammar")))
    rows = min(13, len(survey.relations.frequent()) + 1)
    relation_table(view, survey.relations, "data_grammar", height=ROW * rows + 2, distances=True)
    # An atlas that ships with Headlight is found first.
    if not survey.complete or not settings.now().is_local or read_atlas(view.request.model):
        return
    label = _("Save for the Heads page")
    if st.button(label, icon=":material/save:", key="save_atlas"):
        try:
            save_survey(view.request.model, survey, corpus)
        except HeadlightError as error:
            st.error(plain(in_words(error)))
        else:
            st.success(_("Saved. “Grammar over a corpus” shows it for this model."))


def save_survey(name: str, survey: Survey, corpus: str) -> None:
    """Save a complete survey with trees as the atlas that the Heads page finds.

    Args:
        name: Name of the model.
        survey: The survey.
        corpus: Name of the treebank.

    Raises:
        HeadlightError: If the file cannot be written.
    """
    model = loaded_models.loaded_model(name)
    out = own_file(model)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HeadlightError(
            "{file} cannot be written: {reason}.", file=str(out), reason=str(error.strerror)
        ) from error
    words = [
        len(with_tree(text, tree).words if tree else text.split())
        for text, tree in zip(survey.texts, survey.trees, strict=True)
    ]
    origin = {
        "model": model.name,
        "model_sha256": fingerprint(model.module),
        "corpus": corpus,
        "corpus_sha256": hashlib.sha256("\0".join(survey.texts).encode()).hexdigest(),
        "sentences": len(survey.texts),
        "words": sum(words),
        "longest": max(words),
    }
    save_atlas(out, origin, survey.means(), survey.relations)
