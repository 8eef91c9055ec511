"""How scratch was trained, from the log of its run."""

import streamlit as st

from model.catalogue import encoder_files
from model.catalogue.scratch import TRAINED_LENGTH
from viz.figures.training import training_curve
from web.language import _
from web.widgets import present
from web.widgets.charts import chart
from web.widgets.glossary import underline_terms

MOST_FREQUENT = 0.071
"""Share of “the” among the hidden tokens, from the table in model/weights/README.md."""

BEFORE_WIKIPEDIA = 113_565_463
"""Tokens read when the pages of Wikipedia were added, the end of the log's second run."""


def training() -> None:
    """Draw the training data, the accuracy and its curve."""
    title = _("How scratch was trained")
    st.subheader(title, anchor="training")
    log, history = encoder_files.run_log(), encoder_files.history()
    trained = history.checkpoints[-1]
    st.markdown(
        _(
            "It learned to guess hidden words from textbooks, novels, web text and Wikipedia: it "
            "read {tokens:,} tokens in {hours:.1f} hours on two CPU cores, in texts of up to "
            "{longest} tokens. **In WikiText-2 (Wikipedia texts that it never read), its first "
            "guess is right for {top1:.1%} of the hidden tokens; for {top5:.1%}, the right token "
            "is among its first five guesses.** Always guessing “the” would be right for "
            "{guess:.1%}. Paragraphs that share eight words in a row with WikiText-2 were left out "
            "of the training, so that the test is new."
        ).format(
            tokens=history.tokens,
            hours=history.seconds / 3600,
            top1=trained.top1,
            top5=trained.top5,
            guess=MOST_FREQUENT,
            longest=TRAINED_LENGTH,
        )
    )
    curve = _(
        "The chart: guesses in a novel that scratch never read. **At {millions:.1f} million tokens "
        "(dashed line), Wikipedia joins the training, and novels become a smaller part of it. "
        "Right guesses: {before:.0%} just before, {least:.0%} soon after, {end:.0%} at the end.**"
    ).format(
        millions=BEFORE_WIKIPEDIA / 1e6,
        before=[each.top1 for each in log if each.tokens <= BEFORE_WIKIPEDIA][-1],
        least=min(each.top1 for each in log if each.tokens > BEFORE_WIKIPEDIA),
        end=log[-1].top1,
    )
    present.headline("headline_curve").markdown(underline_terms(curve))
    figure = training_curve(
        [line.tokens for line in log],
        [line.top1 for line in log],
        BEFORE_WIKIPEDIA,
        translate=_,
    )
    chart(figure, "training_log", "scratch_training", title)
