"""About: the models, their sizes and licences, and what attention does not say."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from model import EncoderConfig, list_models, parameter_counts
from model.catalogue import shipped
from pages.shared.charts import chart
from pages.shared.language import _
from viz.figures.training import training_curves

BERT_BASE = EncoderConfig(
    vocab_size=30_522,
    d_model=768,
    n_heads=12,
    d_ff=3072,
    n_layers=12,
    activation="gelu",
    positions="learned",
    n_segments=2,
    embedding_norm=True,
)


def main() -> None:
    """Draw the page from top to bottom."""
    st.title(_("About Headlight"))
    st.markdown(
        _(
            "Headlight runs real models on your sentence and shows what every attention head does "
            "with it. Every number on screen is the model's own: captured by forward hooks after "
            "the softmax, before dropout."
        )
    )
    _cautions()
    _models()
    _training()
    _sizes()


def _cautions() -> None:
    st.subheader(_("What attention does not say"))
    st.markdown(
        _(
            "- **Attention is not explanation.** A large weight says where a head reads from, not "
            "why the model decides as it does; other weights can give the same output.\n"
            "- **Untrained weights carry no meaning.** The untrained encoder is the control: "
            "whatever it also shows was not learned.\n"
            "- **Much attention rests** on `[CLS]`, `[SEP]` and punctuation: often a head's way "
            "of doing nothing."
        )
    )


def _models() -> None:
    st.subheader(_("Models"))
    notes = {
        "scratch": _(
            "Our encoder, trained by us on openly licensed text; scratch@STEP is it on the way."
        ),
        "scratch-untrained": _("Our encoder with seeded random weights: the control."),
        "scratch-minilm": _(
            "Our encoder carrying MiniLM's weights: the same numbers as transformers to 1e-5."
        ),
        "minilm": _("all-MiniLM-L6-v2, a BERT of 6 layers x 12 heads; Apache-2.0."),
        "bert-base-uncased": _("BERT base, 12 x 12; Apache-2.0; downloaded when you ask for it."),
    }
    table = pd.DataFrame(
        {
            _("name"): [m.name for m in list_models()],
            _("what"): [notes[m.name] for m in list_models()],
        }
    )
    st.dataframe(table, hide_index=True)
    st.caption(
        _(
            "Any BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT or ModernBERT encoder can be loaded "
            "besides: type its hub id or folder into a model picker. Only safetensors are read; "
            "no remote code is run."
        )
    )


def _training() -> None:
    st.subheader(_("How scratch was trained"))
    log, history = shipped.run_log(), shipped.history()
    trained = history.checkpoints[-1]
    st.markdown(
        _(
            "It learned to guess hidden words in {tokens:.0f} million tokens of textbooks, novels, "
            "web text and Wikipedia, in {hours:.1f} hours. On text that it never saw it guesses "
            "{top1:.1%} of the hidden tokens at once, and {top5:.1%} within five guesses. It knows "
            "positions and grammar, not facts. Its model card, `model/weights/README.md`, names "
            "every text, licence and number."
        ).format(
            tokens=history.tokens / 1e6,
            hours=history.seconds / 3600,
            top1=trained.top1,
            top5=trained.top5,
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


def _sizes() -> None:
    st.subheader(_("Where the parameters are"))
    paper = EncoderConfig(vocab_size=30_000, d_model=768, n_heads=12, d_ff=3072, n_layers=12)
    minilm = replace(BERT_BASE, d_model=384, d_ff=1536, n_layers=6)
    counts = {
        _("Transformer encoder, BERT-base sizes, as in the paper"): parameter_counts(paper),
        _("BERT-base uncased, with pooler"): parameter_counts(BERT_BASE, pooler=True),
        _("all-MiniLM-L6-v2, with pooler"): parameter_counts(minilm, pooler=True),
    }
    table = pd.DataFrame(counts).fillna(0).astype(int)
    table.loc["total"] = table.sum()
    table.index = [_part(name) for name in table.index]
    st.dataframe(table.style.format("{:,}"))


def _part(name: str) -> str:
    return {
        "token embedding": _("token embedding"),
        "positions": _("positions"),
        "segments": _("segments"),
        "embedding norm": _("embedding norm"),
        "attention": _("attention"),
        "feed-forward": _("feed-forward"),
        "layer norms": _("layer norms"),
        "pooler": _("pooler"),
        "total": _("total"),
    }[name]


main()
