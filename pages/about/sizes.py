"""Where the parameters are: three encoders, part by part."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from model import EncoderConfig, parameter_counts
from pages.shared.language import _

PAPER = EncoderConfig(vocab_size=30_000, d_model=768, n_heads=12, d_ff=3072, n_layers=12)

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

MINILM = replace(BERT_BASE, d_model=384, d_ff=1536, n_layers=6)


def sizes() -> None:
    """List the parameters of each; published sizes of BERT include a pooler."""
    st.subheader(_("Where the parameters are"))
    counts = {
        _("Transformer encoder, BERT-base sizes, as in the paper"): parameter_counts(PAPER),
        _("BERT-base uncased, with pooler"): parameter_counts(BERT_BASE, pooler=True),
        _("all-MiniLM-L6-v2, with pooler"): parameter_counts(MINILM, pooler=True),
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
