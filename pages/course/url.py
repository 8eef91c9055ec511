"""Fields of the Lessons page."""

from web.language import N_
from web.view_state import field
from web.view_state.field import Fields


class Lessons(Fields, prefix="lessons_"):
    """The part of the page."""

    part = field.part(
        N_("Lessons"),
        {
            "short": N_("30 minutes"),
            "all": N_("All"),
            "errors": N_("Common errors"),
            "glossary": N_("Glossary"),
        },
    )
