"""The rules by which heads are called what they are called."""

import streamlit as st

from model.analysis.labels import THRESHOLDS
from pages.shared import words
from pages.shared.language import _


def rules() -> None:
    """Draw them, and where their thresholds come from."""
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
                            "no rule above applies, and the spread, the mean entropy as a share of "
                            "the most there is (ln T), exceeds {threshold:.2f}"
                        ),
                    ),
                    ("mixed", _("no rule applies; the one that comes nearest is named")),
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
