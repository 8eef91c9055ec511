"""The open step and the selected cell, and their encoding in links: ``card|family.row.column``."""

import re
from dataclasses import dataclass

_ENCODED = re.compile(r"([a-z_]{0,20})\|(?:([A-Za-z_]{1,20})\.([0-9]{1,3})\.([0-9]{1,3}))?")


@dataclass(frozen=True)
class Selection:
    """The open step, and the cell whose arithmetic is shown.

    Attributes:
        card: The only open step; blank if all are open.
        family: The family of lines with the selected cell; blank if none is selected.
    """

    card: str = ""
    family: str = ""
    row: int = 0
    column: int = 0

    @classmethod
    def read(cls, text: str) -> "Selection":
        """Read the encoding of a link; names that no calculation has are accepted."""
        found = _ENCODED.fullmatch(text)
        if found is None:
            raise ValueError(text)
        card, family, row, column = found.groups()
        return cls(card) if family is None else cls(card, family, int(row), int(column))

    def write(self) -> str:
        """The encoding for a link."""
        return f"{self.card}|" + (f"{self.family}.{self.row}.{self.column}" if self.family else "")
