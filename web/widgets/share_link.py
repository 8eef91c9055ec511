"""Links to a page for others."""

from urllib.parse import urlencode, urlsplit

import streamlit as st

from web.language import _
from web.server.network_addresses import share_url
from web.server.qr import QR_URL
from web.view_state import address


def share_data() -> dict[str, str]:
    """Return ``origin``, the server's URL for others, and ``codes``, the URL that makes QR codes.

    ``alone`` says why others cannot reach the origin; it is empty if they can.
    """
    here = st.context.url or ""  # None in tests without a browser
    note = _(
        "Only this computer can open this link. To share it, start Headlight with --host 0.0.0.0, "
        "or open this page by the computer's name in place of localhost."
    )
    there = urlsplit(share_url(here) or here)
    return {
        "origin": f"{there.scheme}://{there.netloc}" if there.netloc else "",
        "alone": "" if share_url(here) is not None else note,
        "codes": QR_URL,
    }


def permalink() -> str:
    """Return the URL that restores the view of this run, for exported files."""
    page = urlsplit(st.context.url or "").path or "/"
    return f"{share_data()['origin']}{page}?{urlencode(address.current())}"
