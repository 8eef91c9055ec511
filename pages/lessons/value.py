"""Base classes of the tables in a lesson's file."""

from abc import abstractmethod

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A table of a lesson's file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(Strict):
    """A number that the product computes."""

    @abstractmethod
    def compute(self) -> float:
        """Return the number.

        Raises:
            HeadlightError: If the model, head, token or entry does not exist.
        """
