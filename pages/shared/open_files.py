"""How many files the server may have open: each page that somebody has open is four.

Systems begin with a thousand, some with 256, and beyond that nobody gets in any more.
"""

import sys

OF_A_PAGE = 4
"""Its connection, and three of the loop that Streamlit makes for its session."""

OF_THE_SERVER = 500
"""Its own, and three for each of the 128 sessions that Streamlit keeps for who may come back."""

MOST = 65_536
"""What is asked for."""


def allow_many() -> int:
    """Let this process open as many files as the system lets it ask for; returns how many."""
    if sys.platform == "win32":
        return MOST
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft == resource.RLIM_INFINITY or soft >= allowed:
        return MOST if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (OSError, ValueError):  # macOS has a limit besides, which it does not tell
        return soft
    return allowed


def warning(n_files: int, n_sessions: int) -> str:
    """What to say where so many files are too few for the pages that may be open; or nothing."""
    room = max(0, n_files - OF_THE_SERVER) // OF_A_PAGE
    if room >= n_sessions:
        return ""
    return (
        f"Headlight: this system lets a process open {n_files:,} files, enough for some {room:,} "
        f"pages, and --sessions allows {n_sessions:,}. Raise it (ulimit -n; LimitNOFILE in a "
        "systemd unit), or allow fewer."
    )
