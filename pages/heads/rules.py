"""The rules behind the labels of heads."""

import streamlit as st

from model.analysis.induction import N_RANDOM, N_REPEATS
from model.analysis.labels import THRESHOLDS, labels_of
from model.capture.sites import Stack
from web.language import _
from web.widgets import label_names


def rules(stacks: set[Stack]) -> None:
    """Draw the rules and the sources of their thresholds.

    Args:
        stacks: The stacks of the shown models: encoder, decoder or both.
    """
    with st.expander(_("The rules"), icon=":material/rule:"):
        if "encoder" in stacks:
            if len(stacks) > 1:
                st.markdown(_("Of an encoder, whose tokens see one another:"))
            _list("encoder", {})
            st.caption(_encoder_thresholds())
        if "decoder" in stacks:
            if len(stacks) > 1:
                st.markdown(_("Of a decoder, whose tokens see themselves and earlier ones:"))
            _list("decoder", _decoder_rules())
            st.caption(_decoder_thresholds())


def _list(stack: Stack, replaced: dict[str, str]) -> None:
    names, texts = label_names.labels(), {**_rules(), **replaced}
    st.markdown(
        "\n".join(
            f"- **{names[name]}**: {texts[name].format(threshold=_threshold(name))}"
            for name in labels_of(stack)
        )
    )


def _rules() -> dict[str, str]:
    return {
        "induction": _(
            "mean attention of tokens that stood before to what followed them then, above "
            "{threshold:.2f}, and above as much on random tokens"
        ),
        "previous": _("mean attention to the token before, above {threshold:.2f}"),
        "next": _("mean attention to the token after, above {threshold:.2f}"),
        "self": _("mean attention of a token to itself, above {threshold:.2f}"),
        "same": _(
            "mean attention of words that occur twice to their equals elsewhere, "
            "above {threshold:.2f}"
        ),
        "duplicate": _(
            "mean attention of tokens that stood before to the same token there, above "
            "{threshold:.2f}"
        ),
        "cls": _("mean attention to the opening token, above {threshold:.2f}"),
        "sep": _("mean attention to the other special tokens, above {threshold:.2f}"),
        "first": _(
            "mean attention to the first token, whatever it says, above {threshold:.2f}: where "
            "heads rest that have nothing to do"
        ),
        "punctuation": _("mean attention to punctuation, above {threshold:.2f}"),
        "broad": _(
            "no rule above applies, and the spread, the mean entropy as a share of "
            "the most there is (ln T), exceeds {threshold:.2f}"
        ),
        "mixed": _("no rule applies; the one that comes nearest is named"),
    }


def _decoder_rules() -> dict[str, str]:
    """Return the rules that differ for decoders."""
    return {
        "broad": _(
            "no rule above applies, and the spread, the mean entropy of a row as a share of the "
            "most there is for the n tokens that it sees (ln n), exceeds {threshold:.2f}"
        )
    }


def _encoder_thresholds() -> str:
    return _(
        "Thresholds of Clark et al. 2019: half for neighbours, 0.6 for special tokens and "
        "punctuation, 3.8 nats of entropy at 128 tokens, which is 0.78 of ln 128. Itself "
        "and same word are ours. Where several rules apply, the share that is the largest "
        "multiple of its threshold decides. Neighbours and words are counted among the "
        "text's tokens, shares on special tokens and punctuation over all tokens."
    )


def _decoder_thresholds() -> str:
    return _(
        "By the same thresholds, the first token's that of [CLS]. It sees nothing but itself, and "
        "is where many heads look whatever it says (Xiao et al. 2023), so it attends nowhere here "
        "and is attended to under “first token” alone. Induction is the prefix matching of Olsson "
        "et al. 2022: on their random tokens, {count} of them {times} times, nothing else tells "
        "what comes next. In a few words of one's own a head may look there by chance, so the "
        "random tokens have to agree. The same token has the same number in the vocabulary: there "
        "“one” at the start and “ one” behind a space are two."
    ).format(count=N_RANDOM, times=N_REPEATS)


def _threshold(label: str) -> float:
    return THRESHOLDS.get("evenness" if label == "broad" else label, 0.0)
