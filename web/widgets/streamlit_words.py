"""Streamlit's own words, which it has in English only."""

from web.language import N_, translated

WORDS = (
    *(N_("Main menu"), N_("Theme"), N_("System"), N_("Light"), N_("Dark"), N_("Print")),
    *(N_("Record screen"), N_("Copy version to clipboard"), N_("Skip to main content")),
    *(N_("Navigate to home page"), N_("App pages"), N_("Select all")),
    *(N_("Choose an option"), N_("Choose or add an option"), N_("Open"), N_("Remove")),
    *(N_("Clear all"), N_("Selected values"), N_("Increment"), N_("Decrement")),
    *(N_("Link to heading"), N_("Copy to clipboard"), N_("Help for")),
)
"""Those of its menu, of a list of choices, of a number and of a heading."""


def streamlit_words() -> dict[str, str]:
    """Return the translation of each of WORDS; none in English."""
    return {word: own for word in WORDS if (own := translated(word)) != word}
