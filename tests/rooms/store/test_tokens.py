"""Join codes and tokens."""

import hashlib

from rooms.store.tokens import hash_token, new_join_code, new_token


def test_codes_have_eight_digits_and_tokens_are_random_and_hashed_with_sha256() -> None:
    codes = {new_join_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code) == 8 and code.isascii() and code.isdigit() for code in codes)
    assert len(new_token()) == 32 and new_token() != new_token()
    assert hash_token("a") == hashlib.sha256(b"a").digest()
