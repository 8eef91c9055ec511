"""Where the attention weight goes under a mask, and whether a later token leaks."""

import pandas as pd
import streamlit as st

from model.analysis.masking import PADDING, max_change_before, where_weight_goes
from model.transformer.attention import causal_mask
from model.transformer.masks import allow_self_if_empty
from pages.decoder.mask_experiment import MaskExperiment
from pages.decoder.url import Masks
from web.language import _, plain
from web.widgets.head_picker import head_name
from web.widgets.tables import cells


def weight_and_leaks(experiment: MaskExperiment) -> None:
    """Draw the shares of the weight, and the effect of a replaced word and of padding."""
    left, right = st.columns([3, 2])
    with left:
        _share_table(experiment)
        _leak_verdict(experiment)
    with right:
        _replaced_word(experiment)


def _share_table(experiment: MaskExperiment) -> None:
    runs = {_("no mask"): experiment.full, _("this mask"): experiment.masked}
    if experiment.spec.inverted:
        upright = experiment.spec.upright().build(len(experiment.labels), experiment.n_padding)
        runs = {
            _("no mask"): experiment.full,
            _("intended"): experiment.run(allow_self_if_empty(upright)),
            _("inverted"): experiment.masked,
        }
    place, n_padding = (experiment.layer, experiment.head), experiment.n_padding
    shares = {
        f"{head_name(*place)}, {name}": where_weight_goes(run.capture.weights[place], n_padding)
        for name, run in runs.items()
    }
    for name, run in runs.items():
        all_heads = where_weight_goes(run.capture.weights, n_padding)
        shares[_("all heads, {run}").format(run=name)] = all_heads
    columns = {"earlier": _("earlier words"), "itself": _("itself"), "later": _("later words")}
    if n_padding:
        columns["padding"] = PADDING
    table = pd.DataFrame(
        {title: [share[place] for share in shares.values()] for place, title in columns.items()},
        index=list(shares),
    )
    st.caption(_("Where each word's weight goes, mean over the words; rows sum to 1"))
    four = st.column_config.NumberColumn(format="%.4f")  # a pandas styler takes three times as long
    st.dataframe(cells(table), height="content", column_config=dict.fromkeys(table, four))


def _leak_verdict(experiment: MaskExperiment) -> None:
    """Show whether the mask leaks what its upright form hides."""
    spec, n_padding = experiment.spec, experiment.n_padding
    if spec.kind == "none" and not spec.inverted:
        st.info(
            _(
                "This mask hides nothing, so every word sees later words. A model that "
                "writes word by word must not: choose **Causal**."
            )
        )
        return
    allowed = spec.upright().build(len(experiment.labels), n_padding)
    hides_later = not bool((allowed & ~causal_mask(len(allowed))).any())
    hides_padding = n_padding > 0 and not bool(allowed[:, -n_padding:].any())
    share = where_weight_goes(experiment.masked.capture.weights, n_padding)
    leaks = [
        message.format(share=share[place])
        for hides, place, message in (
            (hides_later, "later", _("**{share:.1%}** of all heads' weight is on later words")),
            (hides_padding, "padding", _("**{share:.1%}** is on [PAD]")),
        )
        if hides and share[place] > 0
    ]
    if leaks:
        st.error(_("The mask leaks: {leaks}.").format(leaks=", ".join(leaks)))
    elif hides_later or hides_padding:
        st.success(_("Nothing leaks: hidden cells have a weight of exactly 0."))


def _replaced_word(experiment: MaskExperiment) -> None:
    """Replace one token by [MASK], and show how far the outputs before it change."""
    n_real, labels = experiment.full.n_real, experiment.labels
    last = _last_word(experiment)
    if Masks.changed.value >= n_real:
        Masks.changed.value = -1
    words = {-1: _("the last one: {word}").format(word=labels[last])}
    chosen = Masks.changed.draw(options=words | dict(enumerate(labels[:n_real])))
    place = last if chosen < 0 else chosen
    if not place:
        st.info(_("No token comes before the first one. Choose a later token."))
        return
    full = max_change_before(experiment.full, experiment.run(None, place), place)
    masked = max_change_before(experiment.masked, experiment.run(experiment.applied, place), place)
    st.markdown(
        _(
            "[MASK] in place of **{word}** changes the outputs before it by up to "
            "**{full:.3g}** without a mask, and by up to **{masked:.3g}** with this "
            "mask."
        ).format(word=plain(labels[place]), full=full, masked=masked)
    )
    if masked:
        st.caption(
            _(
                "These outputs depend on a later word. A model trained to predict the "
                "next word would read the answer and learn nothing."
            )
        )
    else:
        st.caption(
            _("No output depends on a later word, so a decoder can be trained with this mask.")
        )


def _last_word(experiment: MaskExperiment) -> int:
    """Position of the last word before [SEP]; of the last token if none is a word."""
    tokens = experiment.full.capture.tokens[: experiment.full.n_real - 1]
    words = [place for place, token in enumerate(tokens) if token.isalnum()]
    return words[-1] if words else max(len(tokens) - 1, 0)
