"""How scratch was trained, from the log of its run."""

import streamlit as st

from model.catalogue import encoder_files
from model.catalogue.scratch import TRAINED_LENGTH
from viz.figures.training import training_curves
from web.language import _
from web.widgets.charts import chart


def training() -> None:
    """Draw the training data, the accuracy and the training curves."""
    st.subheader(_("How scratch was trained"))
    log, history = encoder_files.run_log(), encoder_files.history()
    trained = history.checkpoints[-1]
    st.markdown(
        _(
            "It learned to guess hidden words in {hours:.1f} hours, from textbooks, novels, web "
            "text and Wikipedia: {tokens:.0f} million tokens, those read again counted again. On "
            "text kept out of the training, WikiText-2's validation text ({masked:,} hidden tokens "
            "of {passages:,} passages, all that there are), it guesses {top1:.1%} of the hidden "
            "tokens at once, and {top5:.1%} within five guesses. It knows positions and grammar, "
            "not facts, of texts of up to {longest} tokens. Its model card, "
            "`model/weights/README.md`, names every text, licence and number."
        ).format(
            tokens=history.tokens / 1e6,
            hours=history.seconds / 3600,
            masked=history.masked,
            passages=history.passages,
            top1=trained.top1,
            top5=trained.top5,
            longest=TRAINED_LENGTH,
        )
    )
    figure = training_curves(
        [line.tokens for line in log],
        [line.valid_loss for line in log],
        [line.top1 for line in log],
        translate=_,
    )
    alt = _(
        "Loss and share of right guesses on a book kept out of training, over the tokens read: "
        "{first:.2f} nats at first, {last:.2f} at the end."
    ).format(first=log[0].valid_loss, last=log[-1].valid_loss)
    chart(figure, "training_log", "scratch_training", alt)
    st.caption(
        _(
            "Measured on a novel kept out of training, over the whole vocabulary. Where the curves "
            "turn back, Wikipedia joined the text: the novel became harder to guess, Wikipedia "
            "easier."
        )
    )
