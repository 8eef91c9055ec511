"""How many files the server may have open: each page that somebody has open is four.

Systems begin with a thousand, some with 256, and beyond that nobody gets in any more.
"""

import sys

from pages.shared.settings import Settings

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


def room(n_files: int) -> int:
    """Pages that may be open with so many files."""
    return max(1, (n_files - OF_THE_SERVER) // OF_A_PAGE)


def bounded(to: Settings) -> Settings:
    """The same settings, with no more pages than there can be files for.

    Whoever comes then is told that the server is full, rather than nothing. So is whoever starts
    it, where it is fewer than were allowed.
    """
    n_files = allow_many()
    if room(n_files) >= to.sessions:
        return to
    said = (
        f"Headlight: this system lets a process open {n_files:,} files, enough for "
        f"{room(n_files):,} pages: no more are let in, where --sessions allows {to.sessions:,}. "
        "Raise the limit (ulimit -n; LimitNOFILE in a systemd unit)."
    )
    print(said, file=sys.stderr, flush=True)  # noqa: T201
    return to.model_copy(update={"sessions": room(n_files)})
