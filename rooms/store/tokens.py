"""Join codes and session tokens."""

import hashlib
import hmac
import secrets

CODE_DIGITS = 8
"""Digits can be read aloud in any language and typed on a phone's number pad. There are 9e7 codes:
60 guesses a minute, the limit of a network, find one of 100 open rooms in ten days. Its finder
joins as a student."""


def new_join_code() -> str:
    """Return a random code without a leading zero, which spreadsheets remove."""
    smallest = 10 ** (CODE_DIGITS - 1)
    return str(smallest + secrets.randbelow(9 * smallest))


def new_token() -> str:
    """Return a random session token."""
    return secrets.token_urlsafe(24)


def sign(nonce: str, secret: bytes) -> str:
    """Return a student's token, which the room's secret verifies before the student is stored."""
    signature = hmac.new(secret, nonce.encode(errors="surrogatepass"), "sha256")
    return f"{nonce}.{signature.hexdigest()}"


def hash_token(token: str) -> bytes:
    """Return the hash of a token. A token is random, so the hash needs no salt."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
