"""Periodic eviction of expired sessions, models and cached results."""

import asyncio
import gc
import logging

from web.cache import shared_cache
from web.server import process_limits
from web.streamlit_patches import runtime_sessions

log = logging.getLogger(__name__)

INTERVAL = 60
"""Seconds between two evictions."""


async def run() -> None:
    """Evict what has expired, every ``INTERVAL`` seconds; a task of the server's event loop."""
    while True:
        await asyncio.sleep(INTERVAL)
        try:
            runtime_sessions.evict_expired_sessions()
            await asyncio.to_thread(evict_idle)
        except Exception:  # the next round tries again
            log.exception("Expired sessions and results were not evicted")


def evict_idle() -> None:
    """Evict idle models, results, blobs and files, and return their memory to the system."""
    shared_cache.evict_idle()
    gc.collect()
    process_limits.release_free_memory()
