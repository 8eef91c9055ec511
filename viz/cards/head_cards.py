"""Cards of one attention head: one method a card, in the order of the calculation.

Axes: T tokens (Tq queries, Tk keys), D d_model, H n_heads, K d_k, Kv d_v.
"""

import math
from collections.abc import Sequence

import numpy as np

from viz.cards.card import Card, Line, Scale, product_line
from viz.cards.matrices import SYMBOLS, Arrays, MatrixNames
from viz.style.figure import Translate


class HeadCards:
    """Collects the cards of one head, and those before and after it."""

    def __init__(self, arrays: Arrays, names: MatrixNames, translate: Translate) -> None:
        self.arrays = arrays
        self.names = names
        self.translate = translate
        self.cards: list[Card] = []

    def add(self, name: str, title: str, lines: Sequence[Line], *notes: str, formula: str) -> None:
        """Append a card."""
        self.cards.append(Card(name, title, formula, tuple(lines), notes))

    def sized(self, name: str) -> str:
        """The symbol of a matrix with its size below it, LaTeX."""
        rows, columns = self.arrays[name].shape
        return rf"\underset{{{rows} \times {columns}}}{{{SYMBOLS.get(name, name)}}}"

    def product(self, left: str, right: str, result: str) -> str:
        """The formula of a product of two matrices, with all sizes, LaTeX."""
        return rf"{self.sized(result)} = {self.sized(left)}\;{self.sized(right)}"

    def given(self) -> None:
        """Q (Tq, K), K (Tk, K) and V (Tk, Kv) as they are."""
        note = self.translate(
            "Each row belongs to a token: Q has its query, K its key and V its value."
        )
        lines = [Line((letter,), "given", letter) for letter in "QKV"]
        formula = r",\quad ".join(self.sized(letter) for letter in "QKV")
        self.add("given", self.translate("Queries, keys and values"), lines, note, formula=formula)

    def project(self) -> None:
        """From X (T, D) to Q, K and V of all heads, (T, H*K)."""
        lines = [
            product_line("X", f"W_{letter}", f"{letter}_heads", f"project_{letter}")
            for letter in "QKV"
        ]
        notes = []
        if self.names.n_heads > 1:
            d_k = self.arrays["Q"].shape[1]
            notes.append(
                self.translate(
                    "The {width} columns are {n_heads} heads of {d_k}. The next steps show head "
                    "{head}: columns {first} to {last} of Q and K."
                ).format(width=self.arrays["W_Q"].shape[1], d_k=d_k, **self._columns(d_k))
            )
        formula = rf"{self.product('X', 'W_Q', 'Q_heads')},\quad K = X W^K,\quad V = X W^V"
        self.add("project", self.translate("Project X to Q, K, V"), lines, *notes, formula=formula)

    def compare(self) -> None:
        """Raw scores q k^T, (Tq, Tk)."""
        d_k = self.arrays["Q"].shape[1]
        formula = (
            rf"{self.product('Q', 'K_T', 'raw_scores')}"
            rf",\quad S_{{ij}} = \sum_{{c=0}}^{{{d_k - 1}}} Q_{{ic}} K_{{jc}}"
        )
        note = self.translate(
            "How well query and key match: one dot product for each pair of tokens."
        )
        line = product_line("Q", "K_T", "raw_scores", "pair")
        title = self.translate("Compare queries with keys")
        self.add("raw_scores", title, [line], note, formula=formula)

    def divide(self, scale: Scale) -> None:
        """Scaled scores (Tq, Tk): divided by sqrt(d_k) and the temperature, plus a bias if any."""
        formula = rf"{self.sized('scaled_scores')} = S \div ({self._divisor(scale)})"
        quotient = f"÷ {scale.rounded()}"
        items: tuple[str, ...] = ("raw_scores", f"{quotient} =", "scaled_scores")
        notes = [self._reason_for_divisor(scale)]
        if "bias" in self.arrays:
            formula += rf" + {self.sized('bias')}"
            items = ("raw_scores", f"{quotient} +", "bias", "=", "scaled_scores")
            notes.append(
                self.translate(
                    "B is learned by the model. It depends on the distance between query and key."
                )
            )
        line = Line(items, "divide", "pair")
        self.add("scale", self.translate("Scale"), [line], *notes, formula=formula)

    def _divisor(self, scale: Scale) -> str:
        """The divisor, LaTeX."""
        value = scale.rounded()
        if scale.own or not scale.scaled:
            return rf"\tau = {value}" if scale.temperature != 1 else value
        if scale.temperature != 1:
            return rf"\tau \sqrt{{d_k}} = {value}"
        return rf"\sqrt{{d_k}} = \sqrt{{{self.arrays['Q'].shape[1]}}} = {value}"

    def _reason_for_divisor(self, scale: Scale) -> str:
        translate = self.translate
        if scale.own and scale.scaled:
            return translate(
                "This model was trained with its own divisor, {divisor:.6g}, not with √dₖ."
            ).format(divisor=scale.divisor / scale.temperature)
        if scale.scaled:
            return translate(
                "The more numbers a query and a key have (dₖ), the further their dot products "
                "spread from 0. With many numbers and without the division, one key often gets "
                "almost all the weight. Then the weights hardly change with the scores, and "
                "training learns little."
            )
        return translate("The division is switched off, so the scores do not change.")

    def mask(self) -> None:
        """Masked scores (Tq, Tk): -inf where attention is not allowed."""
        allowed = self.arrays["allowed"]
        hidden = int((~allowed).sum())
        formula = (
            r"S''_{ij} = \begin{cases} S'_{ij} & M_{ij} = \text{✓} \\ -\infty & M_{ij} = \text{✗}"
            r" \end{cases}"
        )
        note = (
            self.translate(
                "{hidden} of {total} pairs are hidden: −∞ here, exactly 0 after the softmax."
            ).format(hidden=hidden, total=allowed.size)
            if hidden
            else self.translate("Nothing is hidden.")
        )
        # A comma, not a product sign: M selects a case of the formula.
        line = Line(("scaled_scores", ",", "allowed", "→", "masked_scores"), "mask", "pair")
        self.add("mask", self.translate("Mask"), [line], note, formula=formula)

    def softmax(self) -> None:
        """Weights (Tq, Tk): the softmax of each row, with its parts."""
        formula = (
            r"A_{ij} = \frac{\exp(S''_{ij} - m_i)}"
            rf"{{\sum_{{l=0}}^{{{len(self.arrays['K']) - 1}}} \exp(S''_{{il}} - m_i)}}"
            r",\quad m_i = \max_l S''_{il}"
        )
        notes = [
            self.translate("Each row becomes weights that sum to 1."),
            self.translate(
                "First subtract each row's largest score m: this changes no weight and "
                "prevents an overflow."
            ),
        ]
        largest = float(self.arrays["maxima"].max())
        if largest > math.log(np.finfo(np.float64).max):
            notes.append(
                self.translate(
                    "Here the largest score is {largest:.6g}, and e^{largest:.6g} is larger "
                    "than any 64-bit number."
                ).format(largest=largest)
            )
        parts = ("maxima", "exponentials", "row_sums")
        maxima, exponentials, sums = parts
        items = ("masked_scores", "−", maxima, "→", exponentials, "÷", sums, "=", "weights")
        line = Line(items, "softmax", "pair", parts)
        title = self.translate("Softmax")
        self.add("softmax", title, [line], *notes, formula=formula)

    def mix(self) -> None:
        """Context (Tq, Kv): weights times V."""
        formula = (
            rf"{self.product('weights', 'V', 'context')}"
            rf",\quad Z_i = \sum_{{j=0}}^{{{len(self.arrays['V']) - 1}}} A_{{ij}} V_j"
        )
        note = self.translate("Each token gets a mixture of the values, by its weights.")
        line = product_line("weights", "V", "context", "context")
        self.add("context", self.translate("Mix the values"), [line], note, formula=formula)

    def concatenate(self) -> None:
        """The contexts of all heads side by side, (Tq, H*Kv)."""
        heads = ",\\;".join(f"Z^{{({head})}}" for head in range(self.names.n_heads))
        formula = rf"{self.sized('concatenated')} = \text{{Concat}}({heads})"
        note = self.translate(
            "The contexts of all {n_heads} heads side by side. Columns {first} to {last} belong "
            "to head {head}."
        ).format(**self._columns(self.arrays["context"].shape[1]))
        line = Line(("context", "→", "concatenated"), "join", "concatenated")
        self.add("concat", self.translate("Concatenate the heads"), [line], note, formula=formula)

    def project_out(self) -> None:
        """The output (Tq, D): the contexts times W^O."""
        left = "concatenated" if self.names.n_heads > 1 else "context"
        note = self.translate("Wᴼ mixes the contexts of all heads into one vector for each token.")
        formula = self.product(left, "W_O", "output")
        line = product_line(left, "W_O", "output", "project_O")
        self.add("project_out", self.translate("Project the output"), [line], note, formula=formula)

    def _columns(self, width: int) -> dict[str, int]:
        """The followed head and its first and last column among those of all heads."""
        head, n_heads = self.names.head, self.names.n_heads
        return {
            "n_heads": n_heads,
            "head": head,
            "first": head * width,
            "last": (head + 1) * width - 1,
        }
