"""What the Lessons page's address carries."""

from pages.shared.address import Parameter
from pages.shared.parameters import read_index

PARAMETERS: dict[str, Parameter] = {"step": Parameter(0, read_index, key="lesson_named")}
"""The lesson that is pointed out, by its number from 1."""
