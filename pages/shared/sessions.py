"""Sessions whose time is over give their memory back, whether or not anybody else comes or goes.

Streamlit keeps a session that lost its browser for ``server.disconnectedSessionTTL`` seconds, and
looks for those that are past it only when another one is to be kept.
"""

import asyncio
from typing import Any

from streamlit.runtime import Runtime

EVERY = 60
"""Seconds between two looks."""


async def forget_expired() -> None:
    """Let go of what is past its time, again and again; for the server's own loop.

    Nothing public of Streamlit tells it to look, hence its inner storage.
    """
    while True:
        await asyncio.sleep(EVERY)
        if Runtime.exists():
            manager: Any = Runtime.instance()._session_mgr
            manager._session_storage._cache.expire()
