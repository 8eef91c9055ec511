"""The calculation of one head of a model on a text."""

from dataclasses import dataclass, replace

import numpy as np

from model import AttentionCapture
from model.analysis.units import units
from model.calculator import Calculation, CalculatorSettings
from model.calculator.real_head import from_head, strongest_link
from model.capture.tokens import Keys
from pages.calculator.calculate import Calculated, calculate
from pages.calculator.selection import Selection
from pages.calculator.url import Calculator
from viz import distinct
from viz.cards.matrices import MatrixNames, Window
from web.subject import Subject
from web.translators import length_limit, visible_token
from web.widgets.head_picker import chosen_head
from web.widgets.view_code import loading

WINDOW = 16
"""Number of tokens to draw: more columns do not fit on a screen."""

DIMS = 4
"""Number of dimensions of q, k and v to draw; the calculation uses all."""


@dataclass(frozen=True)
class HeadCalculation:
    """A head of a model on a text; small enough for callbacks."""

    request: Subject
    layer: int
    head: int
    first: int

    @classmethod
    def of_session(cls, request: Subject) -> "HeadCalculation":
        """The head that the session has chosen, within the model's limits."""
        capture = request.capture()
        layer, head = chosen_head(capture.n_layers, capture.n_heads)
        return cls(request, layer, head, Calculator.first.value)

    def names(self) -> MatrixNames:
        """The names of the query tokens and the key tokens."""
        capture = self.request.capture()
        return MatrixNames(_names(capture), _names(capture.keys))

    def window(self) -> Window:
        """The tokens and dimensions to draw."""
        return Window(self.first, WINDOW, DIMS)

    def weights(self) -> np.ndarray:
        """The captured weights, (Tq, Tk)."""
        return self.request.capture().weights[self.layer, self.head]

    def selection(self, wanted: Selection) -> Selection:
        """The wanted selection within its limits, or the strongest link of two drawn words."""
        capture, window = self.request.capture(), self.window()
        rows = slice(*window.along("query", len(capture.tokens)))
        columns = slice(*window.along("key", len(capture.key_tokens)))
        if wanted != Selection():
            if wanted.family != "pair":
                return wanted
            row = min(wanted.row, rows.stop - rows.start - 1)
            return replace(wanted, row=row, column=min(wanted.column, len(capture.key_tokens) - 1))
        drawn = self.weights()[rows, columns]
        words = ~capture.special[rows], ~capture.keys.special[columns]
        row, column = strongest_link(drawn, *words)
        # The payload contains only the drawn queries, but all keys.
        return Selection("", "pair", row, column + columns.start)

    def show(self, wanted: CalculatorSettings, decimals: int, mistake: str = "none") -> Calculated:
        """Compute the cards from the captured q, k and v."""
        return calculate(
            self._compute, wanted, self.names(), self.window(), decimals=decimals, mistake=mistake
        )

    def code(self, wanted: CalculatorSettings) -> list[str]:
        """Code of the calculation."""
        request = self.request
        pair = "" if request.text_pair is None else f", {request.text_pair!r}"
        capture = f"model.attend({request.text!r}{pair})"
        if request.stack != "encoder":
            forced = {"forced": dict(request.forced)} if request.forced else {}
            options = {**length_limit(request.model), **forced}
            written = [f", {key}={value!r}" for key, value in options.items()]
            stack = "encoder" if request.stack == "source" else request.stack
            capture = f"model.generate({request.text!r}{''.join(written)}).{stack}"
        arrays = "head.q, head.k, head.v, head.allowed"
        return [
            f"model = {loading(request.model)}",
            f"head = {capture}.head({self.layer}, {self.head})",
            f"calculation = from_head({arrays}, {wanted}, scale=head.scale, bias=head.bias)",
        ]

    def _compute(self, wanted: CalculatorSettings) -> Calculation:
        steps = self.request.capture().head(self.layer, self.head)
        arrays = steps.q, steps.k, steps.v, steps.allowed
        return from_head(*arrays, wanted, scale=steps.scale, bias=steps.bias)


def _names(tokens: AttentionCapture | Keys) -> tuple[str, ...]:
    return tuple(distinct([visible_token(unit.label) for unit in units(tokens)]))
