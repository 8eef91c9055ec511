"""Glossary: short explanations of terms in a popover."""

from dataclasses import dataclass

import streamlit as st

from web.language import _


@dataclass(frozen=True)
class Term:
    """A term with its explanation.

    Attributes:
        formula: LaTeX.
    """

    name: str
    text: str
    formula: str


def terms() -> list[Term]:
    """Return the terms, in the reader's language. Each uses only terms before it."""
    return [
        Term(
            _("Token"),
            _(
                "A word, or a piece of a word, that the model reads. Each token is a row of "
                "numbers, its vector x; each layer changes it."
            ),
            r"\text{sentence} \to x_1, \dots, x_n",
        ),
        Term(
            _("[CLS] and [SEP]"),
            _(
                "Tokens that BERT models add in front of the sentence and at its end. "
                "Other models may have a different start token, or none."
            ),
            r"\text{[CLS]}\; x_1 \dots x_n\; \text{[SEP]}",
        ),
        Term(
            _("Layer"),
            _(
                "A layer changes every token's vector, with information from the other tokens. "
                "L0 is the first layer; each passes its result to the next."
            ),
            r"x_{l+1} = \mathrm{layer}_l(x_l)",
        ),
        Term(
            _("Encoder and decoder"),
            _(
                "In an encoder, each token may attend to all tokens. In a decoder, only to itself "
                "and to earlier ones, so it can write a text token by token."
            ),
            r"\text{encoder: } 1 \le j \le n, \qquad \text{decoder: } 1 \le j \le i",
        ),
        Term(
            _("Query"),
            _(
                "The token that attends: one row of a head's square. Its query vector describes "
                "the keys that it looks for."
            ),
            r"q_i = x_i W^Q",
        ),
        Term(
            _("Key"),
            _(
                "A token that is attended to: one column. The better its key vector matches the "
                "query vector, the higher the score."
            ),
            r"k_j = x_j W^K, \qquad s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}}",
        ),
        Term(
            _("Weight"),
            _(
                "The share of a query's attention that a key gets. Softmax makes weights of the "
                "scores; the weights of a row sum to 1."
            ),
            r"A_{ij} = \mathrm{softmax}_j(s_{ij}), \qquad \sum_j A_{ij} = 1",
        ),
        Term(
            _("Value"),
            _(
                "What a token passes on when it is attended to. The result for a query is the "
                "sum of all values, each multiplied by its weight."
            ),
            r"v_j = x_j W^V, \qquad z_i = \sum_j A_{ij}\, v_j",
        ),
        Term(
            _("Head"),
            _(
                "One attention with its own queries, keys and values. The heads of a layer work in "
                "parallel. L3·H1 is the second head of the fourth layer: both count from 0."
            ),
            r"z_i = \sum_j A_{ij}\, v_j",
        ),
    ]


def explain() -> None:
    """Draw a small button that opens the explanations."""
    with st.popover(
        "", icon=":material/help:", type="tertiary", help=_("What these words mean"), key="glossary"
    ):
        draw_terms()


def draw_terms() -> None:
    """Draw the explanations."""
    # One markdown element: every element adds to the cost of every run.
    st.markdown(
        "\n\n".join(f"**{term.name}.** {term.text}\n\n$${term.formula}$$" for term in terms())
    )
