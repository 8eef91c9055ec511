"""What every number and every question of a lesson's file has in common."""

from abc import abstractmethod

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A table of a file that knows no other names than its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(Strict):
    """A number that something of the product gives."""

    @abstractmethod
    def compute(self) -> float:
        """The number.

        Raises:
            HeadlightError: If there is nothing of the kind.
        """
