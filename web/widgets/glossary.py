"""Glossary: one plain sentence for each term, under a dotted underline or as a list."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from web.language import _, listed, plain


@dataclass(frozen=True)
class Term:
    """A term with its sentence, and a regular expression of it in texts; "" if pages explain it."""

    name: str
    text: str
    pattern: str = ""


def _underlined(name: str, text: str) -> Term:
    """Return a term whose name is underlined as a word; Chinese has no spaces between words."""
    return Term(name, text, rf"(?i:(?<![A-Za-z]){re.escape(name)}(?![A-Za-z]))")


def terms() -> list[Term]:
    """Return the terms, in the reader's language."""
    return [
        Term(
            _("Token"),
            _("A word, or a piece of a word, that the model reads as a row of numbers: a vector."),
        ),
        Term(
            _("Layer"),
            _("A step that changes every token's vector with information from the other tokens."),
        ),
        Term(
            _("L3·H1 (a head)"),
            _(
                "A part of a layer in which tokens attend to tokens, that is, take information "
                "from them; L3·H1 is the second one of the fourth layer: both count from 0."
            ),
            r"L\d+·H\d+",
        ),
        Term(
            _("Encoder, decoder"),
            _("In an encoder, tokens attend to all tokens; in a decoder, a mask hides later ones."),
        ),
        Term(
            listed(("[CLS]", "[SEP]")),
            _("Tokens that BERT, an encoder of 2018, adds in front of a text and at its end."),
            r"\\?\[(?:CLS|SEP)\\?\]",
        ),
        Term(_("Query"), _("The token that attends: one row of a head's square.")),
        Term(_("Key"), _("A token that is attended to: one column of a head's square.")),
        Term(
            _("Weight"),
            _("The share of a query's attention that a key gets; the weights of a row sum to 1."),
        ),
        Term(
            _("Value"),
            _("The vector that a token passes on, times its weight, when it is attended to."),
        ),
        Term(
            "scratch",
            _("A small encoder that we wrote and trained ourselves, on openly licensed text."),
            r"\bscratch\b(?!\\?[-@])",
        ),
        Term(
            "minilm",
            _("all-MiniLM-L6-v2, a pretrained BERT of 6 layers with 12 heads each."),
            r"(?<!-)\bminilm\b(?!\\?-)",
        ),
        _underlined(
            _("broad"), _("The label of a head that spreads its attention over many tokens.")
        ),
        _underlined(
            _("nats"),
            _("The unit of entropy, the evenness of attention: 0 on one token, ln n on n equally."),
        ),
        _underlined(
            _("feed-forward"),
            _("The part of a layer that changes each token's vector without the other tokens."),
        ),
        _underlined(
            _("Residual stream"),
            _("The tokens' vectors: the embeddings, and what every layer adds to them."),
        ),
        Term(
            listed(("logit", "softmax")),
            _("A logit is a prediction's score; softmax turns all scores into probabilities."),
            r"\b(?:logits?|softmax)\b",
        ),
        _underlined(
            _("cosine"),
            _("It tells how alike the directions of two vectors are: 1 equal, −1 opposite."),
        ),
        _underlined(
            _("post-norm"), _("A model that rescales each vector after every addition to it.")
        ),
        _underlined(
            _("Treebank"), _("Sentences whose grammar people have written down, word by word.")
        ),
        Term(
            "Q4_1",
            _("A file format that rounds each parameter, set in training, to 16 levels: 4 bits."),
            r"Q4\\?_1",
        ),
    ]


def underline_terms(markdown: str) -> str:
    """Return Markdown in which the first of each unexplained term has a dotted underline.

    Its sentence appears on hover, tap and focus. Code, formulas and links stay as they are.
    """
    found = {f"t{i}": term for i, term in enumerate(terms()) if term.pattern}
    skipped = r"`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\)"
    either = "|".join(f"(?P<{name}>{term.pattern})" for name, term in found.items())

    def underlined(match: re.Match[str]) -> str:
        term = found.pop(match.lastgroup or "", None)
        if term is None:
            return match[0]
        title = term.text.replace('"', "&quot;")
        return f'[{match[0]}](#term "{title}")'

    return re.sub(f"{skipped}|{either}", underlined, markdown)


def draw_terms() -> None:
    """Draw the list in one element: every element adds to the cost of a rerun."""
    draw_meanings({plain(each.name): plain(each.text) for each in terms()})


def draw_meanings(meanings: Mapping[str, str]) -> None:
    """Draw a list of names and what they mean, in Markdown."""
    line = _("**{term}**: {meaning}")
    st.markdown("\n".join(f"- {line.format(term=t, meaning=m)}" for t, m in meanings.items()))
