"""URL parameters of the Lessons page."""

from web.view_state.address import Parameter
from web.view_state.parameters import read_index

PARAMETERS: dict[str, Parameter] = {"step": Parameter(0, read_index, key="lesson_named")}
"""``step`` is the number of the highlighted lesson, from 1."""
