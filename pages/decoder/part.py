"""Which part of the page is shown: each has an address of its own."""

import streamlit as st

from pages.shared import address
from pages.shared.address import Parameter
from pages.shared.parameters import one_of

PARTS = ("translate", "generate", "masks")

PART = Parameter(PARTS[0], one_of(*PARTS), always=True, key="decoder_part")
"""The first parameter of each part's address."""


def asked_part() -> str:
    """The part whose address is to be read: before that, nothing says which parameters it has.

    The address decides where it is the first of the page, or was stepped back to; else the part
    that somebody has just chosen.
    """
    named = st.query_params.get("part")
    entering = "address_known" not in st.session_state
    if named in PARTS and (entering or address.stepped()):
        return named
    return str(st.session_state.get("decoder_part", PART.default))
