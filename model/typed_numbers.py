"""Reader of numbers as people type them: 1,000, 1.000.000, 0,5, 10^6, ½, 50 %."""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping

_CONVENTIONS = ((",", "."), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("'", ","))
"""Separators of thousands and of decimals."""


def _expression(thousands: str, decimal: str) -> re.Pattern[str]:
    group, point = re.escape(thousands), re.escape(decimal)
    number = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+(?:{point}\d*)?|\d+(?:{point}\d*)?|{point}\d+)"
    return re.compile(
        rf"(?P<sign>[+-]?)(?:"
        rf"(?:(?P<whole>\d+) )?(?P<over>{number})/(?P<under>{number})|"
        rf"(?P<base>{number})(?:\^(?P<power>[+-]?\d+))?|"
        rf"(?P<digits>{number})(?:e|[x×·*]10\^)(?P<exponent>[+-]?\d+)"
        rf")(?P<percent>%?)",
        re.ASCII | re.IGNORECASE,
    )


_EXPRESSIONS = tuple((*signs, _expression(*signs)) for signs in _CONVENTIONS)
_SUPERSCRIPT = re.compile("[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_FRACTION_SIGN = re.compile("[¼-¾⅐-⅞]")


def readings(text: str) -> tuple[float, ...]:
    """Read a typed number, with separators of thousands, as a fraction, a power or a percentage.

    Returns:
        Its readings, the English one first: 4994 and 4.994 for ``4,994``, 4.994 and 4994 for
        ``4.994``. Empty if the text is not a finite number.
    """
    return tuple(dict.fromkeys(value for value, _ in _read(text)))


def is_rounding(text: str, true: float) -> bool:
    """Whether the text is a number (see :func:`readings`) rounded to the digits that it has."""
    return any(abs(value - true) <= unit / 2 + 1e-9 for value, unit in _read(text))


def is_ambiguous(text: str) -> bool:
    """Whether the text has two readings, and neither is the usual one: ``4,994``.

    A single point is a decimal point, as everywhere in the product.
    """
    return "," in _simplify(text) and len(readings(text)) > 1


def _simplify(text: str) -> str:
    """Return the text with ASCII digits, signs and spaces."""
    text = _SUPERSCRIPT.sub(lambda found: f"^{found[0]}", text)
    text = _FRACTION_SIGN.sub(lambda found: f" {found[0]}", text)
    text = unicodedata.normalize("NFKC", text)
    for old, new in (("−", "-"), ("–", "-"), ("⁄", "/"), ("’", "'"), ("**", "^"), ("÷", "/")):
        text = text.replace(old, new)
    text = re.sub(r"^[=≈~\s]+|\s+$", "", text)
    return re.sub(r" ?([-+^*·×x/%]) ?", r"\1", re.sub(r"\s+", " ", text))


def _read(text: str) -> Iterator[tuple[float, float]]:
    """Yield each reading, and one unit of its last digit: 0 for a fraction or a power."""
    plain = _simplify(text)
    for thousands, decimal, expression in _EXPRESSIONS:
        if found := expression.fullmatch(plain):
            parts = {
                name: (part or "").replace(thousands, "").replace(decimal, ".")
                for name, part in found.groupdict().items()
            }
            value = _value(parts)
            if math.isfinite(value):
                yield value, _unit(parts)


def _unit(parts: Mapping[str, str]) -> float:
    if parts["under"] or parts["power"]:
        return 0.0
    decimals = len((parts["base"] or parts["digits"]).partition(".")[2])
    return 10.0 ** (int(parts["exponent"] or 0) - decimals - 2 * bool(parts["percent"]))


def _value(parts: Mapping[str, str]) -> float:
    def read(name: str) -> float:
        return float(parts[name] or 0)

    try:
        if parts["under"]:
            value = read("whole") + read("over") / read("under")
        elif parts["exponent"]:
            value = float(f"{parts['digits']}e{parts['exponent']}")
        else:
            value = read("base") ** float(parts["power"] or 1)
    except (OverflowError, ZeroDivisionError):
        return math.nan
    return (-value if parts["sign"] == "-" else value) / (100 if parts["percent"] else 1)
