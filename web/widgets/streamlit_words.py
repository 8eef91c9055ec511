"""Streamlit's own words, which it has in English only."""

from web.language import _


def streamlit_words() -> dict[str, str]:
    """Return those of its menu and of a table's toolbar in this language, by its English."""
    words = {
        "Main menu": _("Main menu"),
        "Theme": _("Theme"),
        "System": _("System"),
        "Light": _("Light"),
        "Dark": _("Dark"),
        "Print": _("Print"),
        "Record screen": _("Record screen"),
        "Copy version to clipboard": _("Copy version to clipboard"),
        "Skip to main content": _("Skip to main content"),
        "Navigate to home page": _("Navigate to home page"),
        "App pages": _("App pages"),
        "Clear selection": _("Clear selection"),
        "Show/hide columns": _("Show/hide columns"),
        "Download as CSV": _("Download as CSV"),
        "Search": _("Search"),
        "Fullscreen": _("Fullscreen"),
        "Close fullscreen": _("Close fullscreen"),
        "Sort ascending": _("Sort ascending"),
        "Sort descending": _("Sort descending"),
        "Autosize": _("Autosize"),
        "Pin column": _("Pin column"),
        "Hide column": _("Hide column"),
    }
    return {word: own for word, own in words.items() if word != own}
