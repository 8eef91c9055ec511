"""Base classes of the tables in a lesson's file, and the registry of the kinds of number."""

import math
from collections.abc import Callable
from inspect import signature
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, create_model

from model import HeadlightError


class Strict(BaseModel):
    """A table of a lesson's file; unknown keys, infinity and NaN are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Value(Strict):
    """A number that the product computes."""

    function: ClassVar[Callable[..., float]]
    what: str

    def compute(self) -> float:
        """Return the number."""
        arguments = {name: given for name, given in self if name != "what"}
        try:
            number = float(type(self).function(**arguments))
        except HeadlightError:
            raise
        except (ArithmeticError, LookupError, RuntimeError, ValueError) as error:
            raise HeadlightError(
                "The number {what} cannot be computed: {wrong}.", what=self.what, wrong=repr(error)
            ) from error
        return entry([number], 0)


KINDS: dict[str, type[Value]] = {}
"""Kinds of value by the name in ``what``."""


def value(function: Callable[..., float]) -> Callable[..., float]:
    """Make a function a kind of value: ``what`` is its name, the other keys its parameters."""
    name = function.__name__
    fields: dict[str, Any] = {"what": (Literal[name], ...)}
    for parameter in signature(function).parameters.values():
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[parameter.name] = (parameter.annotation, default)
    kind = create_model(name, __base__=Value, **fields)
    kind.function = staticmethod(function)
    KINDS[name] = kind
    return function


def entry(values: Any, *place: int) -> float:
    """Return an entry of an array or of nested sequences; an undefined one is an error."""
    for index in place:
        if not 0 <= index < len(values):
            raise HeadlightError(
                "There is no entry {place}: an index is too large.",
                place=" ".join(map(str, place)),
            )
        values = values[index]
    if not math.isfinite(values):
        raise HeadlightError("The number is not defined here, it would be {value}.", value=values)
    return float(values)
