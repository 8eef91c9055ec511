"""Glossary: one plain sentence for each term, under a dotted underline or as a list."""

import re
from collections.abc import Mapping

import streamlit as st

from model.analysis.labels import THRESHOLDS
from web.language import _, listed


def introduction() -> str:
    """Return what a token, attention and a head are."""
    return _(
        "These models are Transformers, as ChatGPT is: they read text as tokens (words or pieces "
        "of words). Each small picture shows one head: tokens attend to tokens, and take "
        "information from them. Rows attend to columns; strong colour: much attention."
    )


def head_meaning() -> str:
    """Return the sentence of a head, to be filled with its name, layer and head."""
    return _(
        "A part of a layer that lets tokens attend to tokens, that is, take information from them; "
        "{name} is head {head} of layer {layer}, both counted from 0."
    )


def terms() -> dict[str, str]:
    """Return the sentence of each term, in the reader's language."""
    return {
        _("Token"): _(
            "A word, or a piece of a word, that the model reads as a row of numbers: a vector."
        ),
        _("Vector"): _("A list of numbers; the model computes with one for each token."),
        _("Dot product"): _(
            "The products of two vectors, number by number, added up; large if query and key match."
        ),
        _("Attention sink"): _(
            "A token, often the first one, that many heads attend to; it is thought to get the "
            "weight that they do not need elsewhere."
        ),
        _("Logit lens"): _(
            "It reads each layer as if it were the last, and so says what the model would predict."
        ),
        _("Score"): _(
            "The dot product of a query and a key; scaled: divided by √dₖ, for their dₖ numbers."
        ),
        _("Padding"): _(
            "Tokens without meaning that make short texts as long as others; a mask hides them."
        ),
        "BERT": _("Encoders of 2018 that learned to guess hidden words in books and Wikipedia."),
        _("Embedding"): _(
            "A token's vector from a learned table; before the first layer, many models add a "
            "positional encoding to it."
        ),
        _("Positional encoding"): _(
            "What tells a model the order of the tokens, often a vector for each position."
        ),
        _("Attention"): _(
            "It adds to each token's vector a weighted sum of the values of all tokens that the "
            "token may see."
        ),
        _("Layer"): _(
            "A step that changes every token's vector: first attention, then feed-forward."
        ),
        _("L3·H1 (a head)"): head_meaning().format(name="L3·H1", layer=3, head=1),
        _("Encoder, decoder"): _(
            "In an encoder, tokens attend to all tokens; in a decoder, a mask hides later ones."
        ),
        _("Mask"): _("It hides tokens; a decoder's causal mask hides later ones from each token."),
        "[MASK]": _("The token that stands for a hidden word; the model guesses the word."),
        _("Induction head"): _(
            "When a token occurs again, this head attends to what followed the token the first "
            "time, so that the model can write that again."
        ),
        _("Self-attention, cross-attention"): _(
            "Self: tokens attend to their own text; cross: a decoder's tokens to an encoder's."
        ),
        listed(("[CLS]", "[SEP]")): _(
            "Special tokens, which BERT adds in front of a text and at its "
            "end; weight that a head does not need elsewhere is thought to go there."
        ),
        _("Query"): _(
            "What a token looks for, as a vector; also the token that attends: a row of a picture."
        ),
        _("Key"): _(
            "What a token offers, as a vector; also the token that is attended to: a column."
        ),
        _("Weight"): _(
            "The share of a query's attention that a key gets; the weights of a row sum to 1."
        ),
        _("Value"): _("The vector that a token passes on; a head multiplies it by the weight."),
        "scratch": _(
            "A small encoder that we wrote and trained ourselves, on openly licensed text."
        ),
        "scratch-minilm": _("Our own program, with the trained parameters of minilm."),
        "minilm": _(
            "all-MiniLM-L6-v2, a small pretrained BERT (an encoder that learned from books and "
            "Wikipedia) of 6 layers with 12 heads each, tuned to compare sentences; it predicts no "
            "words."
        ),
        "minilm-sentiment": _("minilm, trained further to tell praise from complaint."),
        _("Broad"): _(
            "The label of a head that spreads its attention over many tokens: the entropy of its "
            "rows (how even they are) is more than {share:.0%} of the largest possible."
        ).format(share=THRESHOLDS["evenness"]),
        _("No rule fits"): _(
            "No pattern of the list, such as “previous token”, takes enough of the head's "
            "attention; it may still follow grammar."
        ),
        _("Nats"): _(
            "The unit of entropy, which says how evenly attention is spread: 0 if one token gets "
            "it all, ln n if n tokens get equal shares."
        ),
        _("Parameter"): _("A number of the model that training sets."),
        _("Loss"): _(
            "How wrong a model's predictions are: on average, −ln of the probability that it gave "
            "to the right token."
        ),
        _("Gradient"): _(
            "How fast the loss grows with each parameter; training moves the parameter the other "
            "way."
        ),
        _("Norm (length)"): _("A vector's length: the root of the sum of its squared numbers."),
        _("Pretrained"): _("Trained on much text before it is used or trained further."),
        _("Greedy"): _("A decoder writes the most probable token at every step."),
        _("LayerNorm"): _(
            "It keeps the numbers of a vector in one range: mean 0 and standard deviation 1, then "
            "times learned numbers, plus learned numbers."
        ),
        _("Feed-forward"): _(
            "The part of a layer that changes each token's vector without the other tokens."
        ),
        _("Residual stream"): _(
            "The tokens' vectors: the embeddings, and what every layer adds to them; some models "
            "rescale them after each addition."
        ),
        listed((_("Logit"), "softmax")): _(
            "A logit is a prediction's score; softmax turns scores into shares that sum to 1: "
            "probabilities of a prediction, or weights of attention."
        ),
        _("Temperature"): _(
            "The divisor of the logits: under 1, likely tokens gain; over 1, the others."
        ),
        _("Cosine"): _(
            "It tells how alike the directions of two vectors are: 1 equal, −1 opposite."
        ),
        _("Post-norm"): _("Each vector is rescaled after every addition to it."),
        _("Treebank"): _(
            "Sentences whose grammar people have written down, word by word; here those of English "
            "EWT, written on the web."
        ),
        "Q4_1": _(
            "A file format that rounds each parameter to 16 levels (4 bits), and keeps a scale and "
            "a minimum for every 32 of them."
        ),
    }


def _patterns() -> dict[str, str]:
    """Return a regular expression for each term that texts underline; pages explain the others."""
    words = (
        *(_("Broad"), _("No rule fits"), _("Nats"), _("Feed-forward"), _("Residual stream")),
        *(_("Cosine"), _("Post-norm"), _("Treebank"), _("LayerNorm"), _("Dot product"), _("Loss")),
        *(_("Vector"), _("Embedding"), _("Query"), _("Parameter")),
    )
    stacks = "|".join(re.split(r"[,、] ?", _("Encoder, decoder")))
    return {
        _("Encoder, decoder"): rf"(?i:(?<![A-Za-z-])(?:{stacks})s?(?![A-Za-z-]))",
        _("L3·H1 (a head)"): r"L\d+·H\d+",
        listed(("[CLS]", "[SEP]")): r"\\?\[(?:CLS|SEP)\\?\]",
        "scratch": r"\bscratch\b(?!\\?[-@])",
        "minilm-sentiment": r"\bminilm\\?-sentiment\b",
        "scratch-minilm": r"\bscratch\\?-minilm\b",
        "minilm": r"(?<!-)\bminilm\b(?!\\?-)",
        listed((_("Logit"), "softmax")): r"\b(?:[Ll]ogits?|softmax)\b",
        "Q4_1": r"Q4\\?_1",
        # Whole words; Chinese has no spaces between them.
        **{word: rf"(?i:(?<![A-Za-z]){re.escape(word)}s?(?![A-Za-z]))" for word in words},
    }


def underline_terms(markdown: str) -> str:
    """Return Markdown in which the first of each unexplained term has a dotted underline.

    Its sentence appears on hover, tap and focus. Code, formulas and links stay as they are.
    """
    sentences, patterns = terms(), _patterns()
    found = {f"t{i}": term for i, term in enumerate(patterns)}
    skipped = r"`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\)"
    either = "|".join(f"(?P<{name}>{patterns[term]})" for name, term in found.items())

    def underlined(match: re.Match[str]) -> str:
        term = found.pop(match.lastgroup or "", None)
        if term is None:
            return match[0]
        title = sentences[term].replace('"', "&quot;")
        if place := re.fullmatch(r"L(\d+)·H(\d+)", match[0]):
            title = head_meaning().format(name=match[0], layer=place[1], head=place[2])
        return f'[{match[0]}](#term "{title}")'

    return re.sub(f"{skipped}|{either}", underlined, markdown)


def draw_meanings(meanings: Mapping[str, str]) -> None:
    """Draw a list of names and what they mean, in Markdown; one element costs least in a rerun."""
    line = _("**{term}**: {meaning}")
    st.markdown("\n".join(f"- {line.format(term=t, meaning=m)}" for t, m in meanings.items()))
