"""The part "What heads do": the pattern of every head of a model."""

from collections import Counter

import streamlit as st

from model.analysis.labels import BROAD, MIXED, NONE, THRESHOLDS, HeadLabel, labels_of
from model.capture.sites import Stack
from pages.heads import examples
from pages.heads.panel import layout, panel
from pages.heads.selection import draw_side, head_table, selected
from pages.heads.url import Heads
from web.cache import captures, loaded_models
from web.language import _, plain, sentences
from web.subject import Subject
from web.widgets import label_names, present
from web.widgets.glossary import draw_meanings, underline_terms
from web.widgets.head_picker import head_name
from web.widgets.head_summary import general_labels

INFORMATIVE = frozenset({"induction", "previous", "next", "self", "same", "duplicate"})
"""Labels that describe a function: not a sink, such as "first", and not "broad" or "mixed"."""

Row = tuple[int, int, HeadLabel]
"""Layer, head, and its label on this sentence."""


def labels(left: Subject, right: Subject) -> None:
    """Draw the filter, the table, the rules and the selected head."""
    sentence, controls, picture = layout()
    with controls:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            view = draw_side(left, right)
            names = label_names.labels()
            offered = {name: names[name] for name in labels_of(view.capture().stack)}
            wanted = Heads.labels.draw(options=offered, placeholder=_("All patterns"))
        rows = _rows(view)
        shown = [row for row in rows if not wanted or row[2].name in wanted]
        if shown:
            examples.select_clearest(*shown[0][:2])
            share = _(
                "Share: how much of a head's attention fits its pattern. Heads that look at words "
                "come first, then those of special tokens."
            )
            st.markdown(share)
            _table(view, shown)
        _rules(view.capture().stack)
    with sentence:
        own = next((label for *place, label in rows if tuple(place) == selected(view)), None)
        head, names = head_name(*selected(view)), label_names.labels()
        one = _("The label of the selected head, {head}, is “{pattern}”.")
        said = own and one.format(head=head, pattern=plain(names[own.name]))
        counted = _counted(view, rows, shown if wanted else None)
        st.markdown(underline_terms(sentences(counted, said or "")))
    with picture:
        panel(left, right)


def _rows(view: Subject) -> list[Row]:
    """Return all heads: first those with a function, in each group the largest share first."""
    found = captures.head_labels(view.model, view.text, view.text_pair)
    labelled = [(i, j, label) for i, row in enumerate(found) for j, label in enumerate(row)]
    rows = [row for row in labelled if row[2].name != NONE]
    return sorted(rows, key=lambda row: (_group(row[2]), -row[2].value))


def _group(label: HeadLabel) -> int:
    if label.name in INFORMATIVE:
        return 0
    return {BROAD: 2, MIXED: 3}.get(label.name, 1)


def _counted(view: Subject, rows: list[Row], chosen: list[Row] | None) -> str:
    """Return a sentence on how many heads have a pattern, or one of the chosen labels."""
    model, total = plain(view.name), len(rows)
    if chosen is not None:
        text = _("**{count} of {model}'s {total} heads have these labels on this sentence.**")
        return text.format(count=len(chosen), model=model, total=total)
    clear = Counter(label.name for *_place, label in rows if _group(label) < 2)
    if not clear:
        return _("**No head of {model} has a clear pattern on this sentence.**").format(model=model)
    [(most, count)] = clear.most_common(1)
    return _(
        "**{clear} of {model}'s {total} heads have a clear pattern on this sentence, most often "
        "“{label}” ({count} heads).** Of the others, {broad} are broad, and for {mixed} no rule "
        "fits."
    ).format(
        clear=clear.total(),
        model=model,
        total=total,
        label=plain(label_names.labels()[most]),
        count=count,
        broad=sum(_group(label) == 2 for *_place, label in rows),
        mixed=sum(_group(label) == 3 for *_place, label in rows),
    )


def _table(view: Subject, rows: list[Row]) -> None:
    names, general = label_names.labels(), general_labels(view.model)
    cells = [
        [
            head_name(layer, head),
            names[label.name],
            # The value of the other groups is no share of attention to one kind of token.
            float(label.value) if _group(label) < 2 else None,
            "–" if general is None else names[general[layer][head].name],
        ]
        for layer, head, label in rows
    ]
    is_decoder = loaded_models.is_decoder(view.model)
    everywhere = _("On random tokens") if is_decoder else _("On a treebank")
    fits = _("How much of the head's attention fits the pattern on this sentence.")
    columns = {
        "head": {"title": _("Head")},
        "does": {"title": _("Pattern")},
        "share": {"title": _("Share"), "digits": 1, "percent": True, "help": fits},
        "corpus": {"title": everywhere, "help": _("Its pattern on many other texts.")},
    }
    places = [(view.side, layer, head) for layer, head, _label in rows]
    with present.stage("labels"):
        head_table(columns, cells, places, "labels_table", _("What heads do"))


def _rules(stack: Stack) -> None:
    """Draw the rule of each label, and the sources of the thresholds."""
    names, texts, more = label_names.labels(), label_names.label_texts(), _("more than {share:.0%}")
    rules = {
        names[name]: texts[measure][1].format(share=more.format(share=THRESHOLDS[measure]))
        for name in labels_of(stack)
        if (measure := "evenness" if name == BROAD else name) in texts
    }
    rules[names[MIXED]] = _("No other rule applies.")
    with st.expander(_("The rules"), icon=":material/rule:"):
        draw_meanings(rules)
        counted = _(
            "For previous, next, itself and same word, a share is averaged over the tokens that "
            "have such a token (special tokens left out), for the others over all tokens. If "
            "several rules apply, the label is the one furthest above its threshold; *broad* only "
            "if no other applies."
        )
        sources = (
            _(
                "Induction and duplicate token must apply to random tokens too (Olsson et al. "
                "2022). First token: Xiao et al. 2023."
            )
            if stack == "decoder"
            else _("Thresholds: the code of Clark et al. 2019; “itself” and “same word” are ours.")
        )
        st.caption(sentences(counted, sources))
