"""Calculator page: attention step by step, in one of five modes."""

from pages.calculator import head, norms, practice, typed, why_scale
from pages.calculator.url import Calculator, parameters
from web.view_state import address

DRAW = {
    "own": typed.draw,
    "head": head.draw,
    "practice": practice.draw,
    "spread": why_scale.draw,
    "norms": norms.draw,
}


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(parameters())
    DRAW[Calculator.mode.draw()]()
    address.keep(Calculator.fields)


main()
