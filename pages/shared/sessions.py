"""What nobody uses gives its memory back, whether or not anybody else comes or goes.

Streamlit keeps a session that lost its browser for ``server.disconnectedSessionTTL`` seconds, and
looks for those that are past it only when another one is to be kept. Models, and what is computed
of them, are kept for a time as well: see once.py.
"""

import asyncio
import gc
import logging
from typing import Any

from streamlit.runtime import Runtime

from pages.shared import kept, memory, once

log = logging.getLogger(__name__)

EVERY = 60
"""Seconds between two looks."""


async def forget_expired() -> None:
    """Let go of what is past its time, again and again; for the server's own loop.

    Nothing public of Streamlit tells it to look, hence its inner storage.
    """
    while True:
        await asyncio.sleep(EVERY)
        try:
            if Runtime.exists():
                manager: Any = Runtime.instance()._session_mgr
                manager._session_storage._cache.expire()
            await asyncio.to_thread(forget_idle)
        except Exception:  # it is tried again
            log.exception("What is past its time was not let go of")


def forget_idle() -> None:
    """Let go of models and answers that nobody has asked for in a while, and of their memory."""
    once.forget_idle()
    kept.forget_idle()
    gc.collect()
    memory.give_back()
