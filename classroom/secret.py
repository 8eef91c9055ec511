"""Codes that are said aloud, tokens that are not, and what is kept of them."""

import hashlib
import secrets

DIGITS = 8
"""Said aloud in any language, typed on a phone's number pad, and no word by chance. A hundred
million codes: at the pace that guesses are allowed in, a room is not found in its day."""


def new_code() -> str:
    """A room's code; its first digit is no zero, which spreadsheets drop."""
    least = 10 ** (DIGITS - 1)
    return str(least + secrets.randbelow(9 * least))


def as_code(typed: str) -> str:
    """A code as it was typed or said, without the spaces and dashes between its digits."""
    return "".join(each for each in typed if each not in " -\u00a0\u2013")


def new_token() -> str:
    """What its holder proves a part in a room with."""
    return secrets.token_urlsafe(24)


def digest(token: str) -> bytes:
    """What the database keeps of a token. It is random, so a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
