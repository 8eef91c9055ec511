"""The part "Grammar": the best head of each grammatical relation, and the best fixed distance."""

import streamlit as st

from model.analysis.grammar.atlas import Atlas
from model.analysis.grammar.relations import FollowedRelation
from pages.heads.panel import layout, panel
from pages.heads.selection import draw_side, select, selected
from web.language import _, plain
from web.subject import Subject
from web.widgets import label_names, present
from web.widgets.glossary import underline_terms
from web.widgets.head_picker import head_name
from web.widgets.head_summary import atlas_of
from web.widgets.tables import selectable_table

COMMAND = "`python -m training.atlases.write --model … --treebank FILE.conllu`"

RELATION = "grammar_relation"
"""Key of the clicked relation: a head can be the best one of several."""


def grammar(left: Subject, right: Subject) -> None:
    """Draw the best head for every relation, and the selected head."""
    sentence, controls, picture = layout()
    with controls:
        view = draw_side(left, right)
        atlas = atlas_of(view.model)
        found = atlas.relations.best_heads() if atlas else []
        if atlas and found:
            marked = _marked(view, atlas, found)
            _table(view, atlas, found, marked)
    with sentence:
        if atlas and found:
            _said(view, found[marked or 0])
        else:
            _explain_missing(view)
    with picture:
        panel(left, right)


def _marked(view: Subject, atlas: Atlas, found: list[FollowedRelation]) -> int | None:
    """Return the row of the selected head, whose relation is added to the rows if it has none."""
    place = selected(view)
    followed = atlas.followed_relation(*place)
    if followed and place not in [(each.layer, each.head) for each in found]:
        found.append(followed)
    found.sort(key=_points, reverse=True)
    rows = [row for row, each in enumerate(found) if (each.layer, each.head) == place]
    clicked = [row for row in rows if found[row].relation == st.session_state.get(RELATION)]
    return next(iter(clicked or rows), None)


def _said(view: Subject, found: FollowedRelation) -> None:
    query, key = label_names.ends(found)
    text = _(
        "**In a treebank, {model}'s {head} points from the {query} to the {key} in {accuracy:.0%} "
        "of cases; simply choosing {other} would be correct in {baseline:.0%}.**"
    ).format(
        accuracy=found.accuracy,
        model=plain(view.name),
        head=head_name(found.layer, found.head),
        query=query,
        key=key,
        other=label_names.at_offset(found.offset),
        baseline=found.baseline,
    )
    st.markdown(underline_terms(text))


def _points(found: FollowedRelation) -> float:
    """Return the lead in points: the difference of both shares as they are printed."""
    return 100 * (round(found.accuracy, 3) - round(found.baseline, 3))


def _names(found: FollowedRelation) -> tuple[str, str, str]:
    """Return the relation, an example and the head."""
    relation = " → ".join(label_names.ends(found))
    return relation, label_names.example(found), head_name(found.layer, found.head)


def _explain_missing(view: Subject) -> None:
    st.info(
        _(
            "{model} was not measured over a treebank; scratch and minilm were. To measure an "
            "encoder, run this in Headlight's repository: {command}"
        ).format(model=plain(view.name), command=COMMAND)
    )


def _table(view: Subject, atlas: Atlas, found: list[FollowedRelation], marked: int | None) -> None:
    columns = {
        "relation": {"title": _("From → to")},
        "example": {"title": _("Example")},
        "head": {"title": _("Head")},
        "accuracy": {"title": _("Correct"), "digits": 1, "percent": True},
        "baseline": {"title": _("Baseline"), "digits": 1, "percent": True},
        "lead": {"title": _("Lead"), "digits": 1},
        "pairs": {"title": _("Pairs"), "digits": 0},
    }
    rows = [
        [*_names(each), each.accuracy, each.baseline, _points(each), each.pairs] for each in found
    ]

    def choose(row: int) -> None:
        st.session_state[RELATION] = found[row].relation
        select(view.side, found[row].layer, found[row].head)

    st.markdown(
        _(
            "- **Correct**: how often the head's largest weight is on the right word; [CLS], [SEP] "
            "and the word itself are left out (as in Clark et al. 2019).\n"
            "- **Baseline**: how often the best fixed choice is right, such as always “the next "
            "word”.\n"
            "- **Lead**: correct minus baseline, in percentage points.\n"
            "- **Pairs**: how many pairs of words were tested. Head and fixed choice were chosen "
            "on one half of the treebank's {sentences:,} sentences, and tested on the other.\n\n"
            "The picture shows the selected head on your sentence."
        ).format(sentences=atlas.sentences)
    )
    with present.stage("grammar"):
        selectable_table(
            columns, rows, "grammar_table", choose, marked=marked, alt=_("Grammar"), whole=True
        )
