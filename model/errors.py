"""What the model room has to say: findings and errors, in words that a page can translate."""

from typing import Any, Self


class Sentence:
    """A finding in one sentence, kept apart from its numbers so that a page can translate it.

    Args:
        message: A constant sentence with named placeholders, e.g. ``"Rows sum to {total:.2f}."``.
        **values: What the placeholders stand for.
    """

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values = values

    def __str__(self) -> str:
        return self.message.format(**self.values)


class SaidError(Exception):
    """What cannot be done, said in one sentence.

    The sentence and its values are kept apart so that the page can translate the sentence
    and still print the user's own words literally (they are arguments, never a template).

    Args:
        message: A constant sentence with named placeholders, e.g. ``"{name} has no tokenizer."``.
        **values: What the placeholders stand for.
    """

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values = values
        super().__init__(message.format(**values))

    def saying(self, **values: Any) -> Self:
        """The same error with other values for some of its placeholders."""
        other = type(self).__new__(type(self))  # subclasses are made with more than a message
        vars(other).update(vars(self))
        other.values = {**self.values, **values}
        other.args = (self.message.format(**other.values),)
        return other


class HeadlightError(SaidError, ValueError):
    """A mistake that the user can mend."""
