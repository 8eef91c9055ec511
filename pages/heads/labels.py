"""Every head of both models on this sentence: what it does, by which rule, in numbers."""

import pandas as pd
import streamlit as st

from model.analysis.labels import LABELS, THRESHOLDS
from pages.heads.panel import head_table, named, panel
from pages.shared import cache, words
from pages.shared.head_picker import head_name
from pages.shared.language import _, plain
from pages.shared.recipe import SIDES, Recipe, Shown
from viz import Side

MEASURES = ("entropy", "distance", "cls", "sep", "punctuation", "previous", "next", "self", "same")


def labels(left_side: Recipe, right_side: Recipe) -> None:
    """Draw the filters, the table, the selected head and the rules."""
    left, right = left_side.show(), right_side.show()
    told = words.labels()
    st.caption(
        _(
            "What every head does **on this sentence**, by rules that are stated below; beside it "
            "what it does over a corpus. Click a row to see its head, a column's name to sort."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = {"left": named(left, right), "right": named(right, left)}
        st.pills(
            _("Models"),
            SIDES,
            format_func=lambda side: plain(names[side]),
            selection_mode="multi",
            key="labels_models",
            persist_state="session",
        )
        st.pills(
            _("Labels"),
            LABELS,
            format_func=told.__getitem__,
            selection_mode="multi",
            key="labels_wanted",
            persist_state="session",
        )
    table, selected = st.columns([3, 2])
    with table:
        _table(left, right)
    with selected:
        panel(left, right)
    _rules()


def _table(left: Shown, right: Shown) -> None:
    told = words.labels()
    wanted = st.session_state["labels_wanted"] or LABELS
    heads: list[tuple[Side, int, int]] = []
    rows: list[dict[str, object]] = []
    for shown in (left, right):
        if shown.side not in st.session_state["labels_models"]:
            continue
        recipe = shown.recipe
        found = cache.labelled(recipe.model, recipe.text, recipe.text_pair)
        measured = cache.profiled(recipe.model, recipe.text, recipe.text_pair)
        atlas = words.atlas_of(recipe.model)
        for layer, row in enumerate(found):
            for head, label in enumerate(row):
                if label.name not in wanted:
                    continue
                heads.append((shown.side, layer, head))
                follows = atlas.follows(layer, head) if atlas else None
                rows.append(
                    {
                        "model": shown.capture.model,
                        "head": head_name(layer, head),
                        "label": told[label.name],
                        "corpus": told[atlas.labels[layer][head].name] if atlas else "–",
                        "grammar": words.finding(follows) if follows else "–",
                        "why": words.why(label),
                        **{name: float(measured[name][layer, head]) for name in MEASURES},
                    }
                )
    if not rows:
        st.info(_("No head of this sentence has these labels."))
        return
    share = st.column_config.NumberColumn
    head_table(
        pd.DataFrame(rows),
        heads,
        "labels_table",
        height=560,
        alt=_("Every head with its label and its measures"),
        columns={
            "model": _("model"),
            "head": st.column_config.TextColumn(_("head"), pinned=True),
            "label": st.column_config.TextColumn(_("label"), pinned=True),
            "why": _("because"),
            "corpus": _("over a corpus"),
            # As wide as its text: Streamlit measures the first rows alone.
            "grammar": st.column_config.TextColumn(_("grammar"), width=270),
            "entropy": share(_("entropy (nats)"), format="%.4f"),
            "distance": share(_("distance (tokens)"), format="%.4f"),
            "cls": share(_("on [CLS]"), format="%.4f"),
            "sep": share(_("on [SEP]"), format="%.4f"),
            "punctuation": share(_("on punctuation"), format="%.4f"),
            "previous": share(_("on the previous"), format="%.4f"),
            "next": share(_("on the next"), format="%.4f"),
            "self": share(_("on itself"), format="%.4f"),
            "same": share(_("on the same word"), format="%.4f"),
        },
    )
    st.caption(_("{count} heads").format(count=len(rows)))


def _rules() -> None:
    told = words.labels()
    with st.expander(_("The rules"), icon=":material/rule:"):
        st.markdown(
            "\n".join(
                f"- **{told[name]}**: {rule}"
                for name, rule in (
                    ("previous", _("mean attention to the token before, above {threshold:.2f}")),
                    ("next", _("mean attention to the token after, above {threshold:.2f}")),
                    ("self", _("mean attention of a token to itself, above {threshold:.2f}")),
                    (
                        "same",
                        _(
                            "mean attention of words that occur twice to their equals elsewhere, "
                            "above {threshold:.2f}"
                        ),
                    ),
                    ("cls", _("mean attention to the opening token, above {threshold:.2f}")),
                    ("sep", _("mean attention to the other special tokens, above {threshold:.2f}")),
                    ("punctuation", _("mean attention to punctuation, above {threshold:.2f}")),
                    (
                        "broad",
                        _(
                            "no rule above applies, and the mean entropy exceeds {threshold:.2f} "
                            "of the most there is, ln T"
                        ),
                    ),
                    ("mixed", _("no rule applies")),
                )
                for rule in [rule.format(threshold=_threshold(name))]
            )
        )
        st.caption(
            _(
                "Thresholds of Clark et al. 2019: half for neighbours, 0.6 for special tokens and "
                "punctuation, 3.8 nats of entropy at 128 tokens, which is 0.78 of ln 128. Itself "
                "and same word are ours. Where several rules apply, the share that is the largest "
                "multiple of its threshold decides. Neighbours and words are counted among the "
                "text's tokens, shares on special tokens and punctuation over all tokens."
            )
        )


def _threshold(label: str) -> float:
    return THRESHOLDS.get("evenness" if label == "broad" else label, 0.0)
