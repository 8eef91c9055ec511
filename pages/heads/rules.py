"""The rules behind the labels of heads."""

import streamlit as st

from model.analysis.induction import N_RANDOM, N_REPEATS
from model.analysis.labels import BROAD, MIXED, THRESHOLDS, labels_of
from model.capture.sites import Stack
from web.language import _
from web.measure_names import measure_names
from web.widgets import label_names


def rules(stacks: set[Stack]) -> None:
    """Draw the rules and the sources of their thresholds."""
    with st.expander(_("The rules"), icon=":material/rule:"):
        st.markdown(_("Each rule needs a share of the head's attention (mean over the queries):"))
        if "encoder" in stacks:
            if len(stacks) > 1:
                st.markdown(_("**Encoders**, whose tokens see all tokens:"))
            _list("encoder")
            st.caption(_encoder_thresholds())
        if "decoder" in stacks:
            if len(stacks) > 1:
                st.markdown(_("**Decoders**, whose tokens see themselves and earlier tokens:"))
            _list("decoder")
            st.caption(_decoder_thresholds())


def _list(stack: Stack) -> None:
    names = label_names.labels()
    st.markdown("\n".join(f"- **{names[label]}**: {_rule(label)}." for label in labels_of(stack)))


def _rule(label: str) -> str:
    if label == MIXED:
        return _("no rule applies; the sentence names the nearest one")
    measure = "evenness" if label == BROAD else label
    return measure_names()[measure].rule.format(share=THRESHOLDS[measure])


def _encoder_thresholds() -> str:
    return _(
        "Clark et al. 2019 chose the thresholds; “itself” and “same word” are ours. If several "
        "rules apply, the share that exceeds its threshold by the largest factor decides. "
        "Neighbours and words are counted among the text's tokens, without special tokens."
    )


def _decoder_thresholds() -> str:
    return _(
        "A decoder's first token sees only itself, and many heads look at it in every text "
        "(Xiao et al. 2023). So only the rule “first token” counts it. Induction is the "
        "prefix matching of Olsson et al. 2022. A short text can show it by chance, so it "
        "must also hold on {count} random tokens that repeat {times} times. Tokens are the "
        "same if they have the same number in the vocabulary: “one” and “ one” with a space "
        "are two tokens."
    ).format(count=N_RANDOM, times=N_REPEATS)
