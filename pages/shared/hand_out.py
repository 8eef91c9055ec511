"""The page's link, to be handed out: copied, or as a QR code on the projector."""

from urllib.parse import urlsplit

import streamlit as st

from pages import components
from pages.shared import settings
from pages.shared.language import _
from pages.shared.qr import QR_URL
from pages.shared.reachable import for_others


def copy_link() -> None:
    """Draw the buttons that copy the page's address as others can open it, and show its code."""
    components.copy_link(
        {
            "copy": _("Copy link"),
            "copied": _("Link copied"),
            "show": _("QR code of this page"),
            "close": _("Close"),
            "too_long": _("This link is too long for a QR code: shorten the text."),
            **reach(),
        }
    )


def reach() -> dict[str, str]:
    """What the browser needs to hand out links.

    Returns:
        ``origin``, under which others find the server; ``alone``, why nobody else can, or "";
        ``codes``, the address at which a text is made a QR code.
    """
    here = st.context.url or ""  # no browser: nothing to say of it
    there = urlsplit(for_others(here) or here)
    return {
        "origin": f"{there.scheme}://{there.netloc}" if there.netloc else "",
        "alone": "" if for_others(here) is not None else _who_can_open(),
        "codes": QR_URL,
    }


def _who_can_open() -> str:
    if settings.now().hosts:
        return _("Only this machine can open it: come by the server's name, and the link has it.")
    return _("Only this machine can open it: start with --host 0.0.0.0.")
