"""The peers' views of all heads of a model, as HTML to embed."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st
import torch
from bertviz import model_view
from circuitsvis.attention import attention_heads
from transformers import BertConfig, BertModel, BertTokenizer

from model.catalogue.pretrained.hub import embedded_folder

HEADS = 12
"""Heads per layer, equal in MiniLM-L6 and BERT-base."""

# As in the product: on a busy machine, more threads make a pass slower.
torch.set_num_threads(1)


@st.cache_resource
def load(layers: int) -> tuple[BertTokenizer, BertModel]:
    """Load MiniLM (6 layers), or build BERT-base (12) with random but repeatable weights."""
    tokenizer = BertTokenizer.from_pretrained(embedded_folder(), local_files_only=True)
    if layers == 6:
        model = BertModel.from_pretrained(
            embedded_folder(),
            attn_implementation="eager",
            local_files_only=True,
            use_safetensors=True,
        )
    else:
        torch.manual_seed(0)
        model = BertModel(BertConfig(num_hidden_layers=layers))
        model.set_attn_implementation("eager")
    return tokenizer, model.train(False)


def attention(sentence: str, layers: int) -> tuple[list[str], list[torch.Tensor]]:
    """Return the tokens and, for each layer, the weights, (1, head, query, key)."""
    tokenizer, model = load(layers)
    encoded = tokenizer(sentence, return_tensors="pt")
    with torch.inference_mode():
        output = model(**encoded, output_attentions=True)
    return encoded.tokens(), list(output.attentions)


def bertviz(sentence: str, layers: int) -> str:
    """Return BertViz's model view: each head as a thumbnail of lines."""
    tokens, weights = attention(sentence, layers)
    return from_here(model_view(weights, tokens, html_action="return").data)


def circuitsvis(sentence: str, layers: int) -> str:
    """Return CircuitsVis's attention heads: each head as a heatmap, in one call."""
    tokens, weights = attention(sentence, layers)
    names = [f"{layer}.{head}" for layer in range(layers) for head in range(HEADS)]
    heads = torch.cat(weights).flatten(0, 1)  # (layer * head, query, key)
    drawn = attention_heads(heads, tokens, attention_head_names=names, mask_upper_tri=False)
    return from_here(str(drawn))


def from_here(html: str) -> str:
    """Replace the URLs of scripts on public servers by local copies."""
    # A page names its scripts before its data, so only its beginning is searched.
    return re.sub(r"https://[\w.@/-]+/(?=[\w.]+['\"])", "/scripts/", html, count=3)


VIEWS: dict[str, Callable[[str, int], str]] = {"bertviz": bertviz, "circuitsvis": circuitsvis}
