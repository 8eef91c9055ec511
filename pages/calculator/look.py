"""Where somebody looks in the steps, and how a link says it: ``card|family.row.column``."""

import re
from dataclasses import dataclass

_LOOK = re.compile(r"([a-z_]{0,20})\|(?:([A-Za-z_]{1,20})\.([0-9]{1,3})\.([0-9]{1,3}))?")

# What older links say; none of these names stands for anything else now.
_OLD_CARDS = {"scores": "raw_scores", "output": "context"}
_OLD_FAMILIES = {"output": "context", "joined": "concatenated", "Y": "project_O"}


@dataclass(frozen=True)
class Look:
    """Which step is open, and which cell is spelled out.

    Attributes:
        card: The step that is open alone; blank if all are.
        family: The family of lines whose cell is spelled out; blank if none was chosen.
        row: Of that cell.
        column: Of that cell.
    """

    card: str = ""
    family: str = ""
    row: int = 0
    column: int = 0

    @classmethod
    def read(cls, text: str) -> "Look":
        """Read what a link says, an older one too.

        Raises:
            ValueError: If it is no such text; names that no calculation has are not looked for.
        """
        found = _LOOK.fullmatch(text)
        if found is None:
            raise ValueError(text)
        card, family, row, column = found.groups()
        card = _OLD_CARDS.get(card, card)
        if family is None:
            return cls(card)
        return cls(card, _OLD_FAMILIES.get(family, family), int(row), int(column))

    def write(self) -> str:
        """Write it as a link says it."""
        return f"{self.card}|" + (f"{self.family}.{self.row}.{self.column}" if self.family else "")
