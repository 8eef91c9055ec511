"""The report: figures that this browser has pinned, with notes; see components/report."""

from web import components
from web.language import _, cached_per_language


def report() -> None:
    """Draw the report and its button, which appears when a figure is pinned."""
    components.report(_words())


@cached_per_language
def _words() -> dict[str, str]:
    return {
        "title": _("Report"),
        "where": _(
            "Figures and notes are stored in this browser only. "
            "Save the report before you clear its data."
        ),
        "origin": _("Origin of the numbers"),
        "open": _("Report: pinned figures ({count})"),
        "pinned": _("Pinned: figure {count}. The pin at the top opens the report."),
        "full": _("The report is full. Save it, then delete some figures."),
        "failed": _("This browser does not store the report. A private window can be the cause."),
        "empty": _("No figure is pinned. Pin is beside Export, below each figure."),
        "note": _("Note"),
        "earlier": _("Move up"),
        "later": _("Move down"),
        "remove": _("Delete"),
        "undo": _("Undo the deletion"),
        "save": _("Save as HTML"),
        "close": _("Close"),
    }
