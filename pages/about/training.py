"""How scratch was trained: what the run's own log says."""

import streamlit as st

from model.catalogue import shipped
from model.catalogue.scratch import LONGEST
from pages.shared.charts import chart
from pages.shared.language import _
from viz.figures.training import training_curves


def training() -> None:
    """Say what it read and how well it guesses, and draw how it got there."""
    st.subheader(_("How scratch was trained"))
    log, history = shipped.run_log(), shipped.history()
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
            longest=LONGEST,
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
