"""Join codes, session tokens and names of lessons."""

import hashlib
import secrets

CODE_DIGITS = 12
"""Digits can be read aloud in any language and typed on a phone's number pad. There are 9e11 codes:
a week of 3 million guesses finds one of 500 rooms with probability 3e6 * 500 / 9e11 = 0.2 %."""

LESSON_PREFIX = "room-"
"""Of the name of a lesson of a room; no lesson of a file has such a name."""


def new_join_code() -> str:
    """Return a random code without a leading zero, which spreadsheets remove."""
    smallest = 10 ** (CODE_DIGITS - 1)
    return str(smallest + secrets.randbelow(9 * smallest))


def parse_join_code(typed: str) -> str:
    """Return a typed code without spaces and dashes."""
    return "".join(each for each in typed if each not in " -\u00a0\u2013")


def new_token() -> str:
    """Return a random session token."""
    return secrets.token_urlsafe(24)


def new_lesson_name() -> str:
    """Return a random name for a lesson of a room, which nobody can guess."""
    return f"{LESSON_PREFIX}{secrets.token_hex(12)}"


def hash_token(token: str) -> bytes:
    """Return the hash of a token. A token is random, so the hash needs no salt."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
