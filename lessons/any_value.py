"""The union of all kinds of value in a lesson's file, selected by ``what``."""

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from lessons import by_formula as by_formula  # these register their kinds
from lessons import by_model as by_model
from lessons.value import KINDS, Value

if TYPE_CHECKING:
    AnyValue = Value
else:
    AnyValue = Annotated[Union[tuple(KINDS.values())], Field(discriminator="what")]  # noqa: UP007
