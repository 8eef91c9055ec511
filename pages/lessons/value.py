"""Base classes of the tables in a lesson's file, and their limits.

A teacher can upload a lesson to a server, so a file of a stranger must not take its time or memory.
"""

import math
from abc import abstractmethod
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from model import HeadlightError

Text = Annotated[str, Field(max_length=1000)]
"""A text that a model reads."""

Name = Annotated[str, Field(max_length=200)]
"""The name of a model, a token, a measure or a label."""


class Strict(BaseModel):
    """A table of a lesson's file; unknown keys, infinity and NaN are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Value(Strict):
    """A number that the product computes."""

    @abstractmethod
    def compute(self) -> float:
        """Return the number.

        Raises:
            HeadlightError: If the model, head, token or entry does not exist.
        """


def entry(values: Any, *place: int) -> float:
    """Return an entry of an array or of nested sequences.

    Raises:
        HeadlightError: If there is no entry at the place, or it is undefined (NaN or infinite).
    """
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
