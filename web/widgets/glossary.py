"""Glossary: short explanations of terms in a popover."""

from dataclasses import dataclass

import streamlit as st

from web.language import _


@dataclass(frozen=True)
class Term:
    """A term with its explanation.

    Attributes:
        name: The term as used on the page.
        text: Two sentences.
        formula: LaTeX.
    """

    name: str
    text: str
    formula: str


def terms() -> dict[str, Term]:
    """Return the terms, in the reader's language."""
    return {
        "layer": Term(
            _("Layer"),
            _(
                "A layer lets every token take in something of the others, and hands the result "
                "to the next layer. L0 is the first; the deeper, the more has been taken in."
            ),
            r"x_{l+1} = \mathrm{layer}_l(x_l)",
        ),
        "head": Term(
            _("Head"),
            _(
                "The heads of a layer look at the sentence side by side, each in its own way. "
                "L3·H1 is the second head of the fourth layer: both count from 0."
            ),
            r"\mathrm{head}_h = A_h V_h",
        ),
        "query": Term(
            _("Query"),
            _(
                "The token that attends: it asks, and its row says whom it listens to. "
                "The weights of a row sum to 1."
            ),
            r"q_i = x_i W^Q, \qquad \sum_j A_{ij} = 1",
        ),
        "key": Term(
            _("Key"),
            _(
                "The token attended to: what it offers is compared with every query. "
                "The better both match, the larger the weight where row and column meet."
            ),
            r"k_j = x_j W^K, \qquad A_{ij} = \mathrm{softmax}_j\!\left("
            r"\frac{q_i \cdot k_j}{\sqrt{d_k}}\right)",
        ),
    }


def explain(*names: str) -> None:
    """Draw a small button that opens explanations.

    Args:
        *names: Keys of :func:`terms`, in order.
    """
    known = terms()
    words = [known[name] for name in names]
    with st.popover(
        "",
        icon=":material/help:",
        type="tertiary",
        help=_("What these words mean"),
        key="explain_" + "_".join(names),
    ):
        # One markdown element: every element adds to the cost of every run.
        st.markdown(
            "\n\n".join(f"**{word.name}.** {word.text}\n\n$${word.formula}$$" for word in words)
        )
