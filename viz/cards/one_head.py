"""The five cards of one head, from queries and keys to its context: one function a card.

Axes: Tq queries, Tk keys, K d_k, Kv d_v.
"""

import math

import numpy as np

from viz.cards.card import Card, Line, Scale, Translate, sized
from viz.cards.matrices import SYMBOLS, Arrays


def compare(arrays: Arrays, translate: Translate) -> Card:
    """Raw scores: q k^T."""
    (n_queries, d_k), n_keys = arrays["Q"].shape, len(arrays["K"])
    formula = (
        rf"{sized('S', n_queries, n_keys)} = {sized('Q', n_queries, d_k)}\;"
        rf"{sized(SYMBOLS['K_T'], d_k, n_keys)}"
        rf",\quad S_{{ij}} = \sum_{{c=1}}^{{{d_k}}} Q_{{ic}} K_{{jc}}"
    )
    note = translate("How well query and key agree: one dot product for each pair of tokens.")
    line = Line(("Q", "×", "K_T", "=", "raw_scores"), "product", "pair")
    return Card("raw_scores", translate("Compare queries with keys"), formula, (line,), (note,))


def divide(arrays: Arrays, scale: Scale, translate: Translate) -> Card:
    """Scaled scores: divided by sqrt(d_k) and the temperature, and a bias added if there is one."""
    biased = "bias" in arrays
    shape = arrays["raw_scores"].shape
    formula = rf"{sized(SYMBOLS['scaled_scores'], *shape)} = S \div ({_divisor(arrays, scale)})"
    items: tuple[str, ...] = ("raw_scores", f"÷ {scale.divisor:.6g} =", "scaled_scores")
    notes = [_why_divided(scale, translate)]
    if biased:
        formula += rf" + {sized(SYMBOLS['bias'], *shape)}"
        items = ("raw_scores", f"÷ {scale.divisor:.6g} +", "bias", "=", "scaled_scores")
        notes.append(translate("B is the model's own: what it adds for where query and key stand."))
    line = Line(items, "divide", "pair")
    return Card("scale", translate("Scale"), formula, (line,), tuple(notes))


def _divisor(arrays: Arrays, scale: Scale) -> str:
    """What is divided by, LaTeX."""
    if scale.own or not scale.scaled:
        return rf"\tau = {scale.divisor:.6g}" if scale.temperature != 1 else f"{scale.divisor:.6g}"
    if scale.temperature != 1:
        return rf"\tau \sqrt{{d_k}} = {scale.divisor:.6g}"
    return rf"\sqrt{{d_k}} = \sqrt{{{arrays['Q'].shape[1]}}} = {scale.divisor:.6g}"


def _why_divided(scale: Scale, translate: Translate) -> str:
    if scale.own and scale.scaled:
        return translate(
            "This model does not divide by √d_k: it has a divisor of its own, {divisor:.6g}, and "
            "was trained with it."
        ).format(divisor=scale.divisor / scale.temperature)
    if scale.scaled:
        return translate(
            "Entries of variance 1 give dot products of variance d_k; the division keeps the "
            "softmax where it still has a gradient."
        )
    if scale.own:
        return translate("The model's own divisor is left out: the scores stay as they are.")
    return translate("The division by √d_k is switched off: the scores stay as large as they are.")


def mask(arrays: Arrays, translate: Translate) -> Card:
    """Masked scores: -inf where attention is not allowed."""
    hidden = int((~arrays["allowed"]).sum())
    formula = (
        r"S''_{ij} = \begin{cases} S'_{ij} & M_{ij} = \text{✓} \\ -\infty & M_{ij} = \text{✗}"
        r" \end{cases}"
    )
    note = (
        translate(
            "{hidden} of {total} pairs are hidden: −∞ now, exactly 0 after the softmax."
        ).format(hidden=hidden, total=arrays["allowed"].size)
        if hidden
        else translate("Nothing is hidden.")
    )
    # A choice by M and no product with it: the formula above says which.
    line = Line(("scaled_scores", ",", "allowed", "→", "masked_scores"), "mask", "pair")
    return Card("mask", translate("Mask"), formula, (line,), (note,))


def softmax(arrays: Arrays, translate: Translate) -> Card:
    """Weights: the softmax of each row, in its parts."""
    formula = (
        r"A_{ij} = \frac{e^{S''_{ij} - m_i}}"
        rf"{{\sum_{{l=1}}^{{{len(arrays['K'])}}} e^{{S''_{{il}} - m_i}}}}"
        r",\quad m_i = \max_l S''_{il}"
    )
    notes = (
        translate("Every row becomes shares that sum to 1."),
        translate(
            "Each row's largest score m is subtracted first: it changes no weight, and no "
            "exponential can overflow."
        ),
    )
    findings = []
    largest = float(arrays["maxima"].max())
    if largest > math.log(np.finfo(np.float64).max):
        findings.append(
            translate(
                "Here it would: the largest score is {largest:.6g}, and e^{largest:.6g} is beyond "
                "any 64-bit number."
            ).format(largest=largest)
        )
    items = ("masked_scores", "−", "maxima", "→", "exponentials", "÷", "row_sums", "=", "weights")
    line = Line(items, "softmax", "pair", parts=("maxima", "exponentials", "row_sums"))
    return Card("softmax", translate("Softmax"), formula, (line,), notes, tuple(findings))


def mix(arrays: Arrays, translate: Translate) -> Card:
    """Context: weights times v."""
    n_queries, (n_keys, d_v) = len(arrays["Q"]), arrays["V"].shape
    formula = (
        rf"{sized('Z', n_queries, d_v)} = {sized('A', n_queries, n_keys)}\;"
        rf"{sized('V', n_keys, d_v)}"
        rf",\quad Z_i = \sum_{{j=1}}^{{{n_keys}}} A_{{ij}} V_j"
    )
    note = translate("Each token takes home a mixture of the values, by its weights.")
    line = Line(("weights", "×", "V", "=", "context"), "product", "context")
    return Card("context", translate("Mix the values"), formula, (line,), (note,))
