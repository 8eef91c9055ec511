"""Captures in files that visitors dropped on a page, while they are used; named ``file:HASH:NAME``.

The hash covers the name, so a link cannot rename the file.
"""

from dataclasses import replace
from hashlib import sha256

from model import MAX_TOKENS, AttentionCapture, HeadlightError, read_capture
from model.capture.tokens import MAX_CHARACTERS
from web import settings
from web.cache.shared_cache import MB, SharedStore, once_per_run
from web.inference.operations import forward_queue

MAX_UNPACKED = 64 * MB
"""Most bytes that a file unpacks to: 12 x 12 heads on 340 tokens, in 32 bits."""

MAX_HEADS = 8_192
"""Most heads of all layers together, as in a model."""

MAX_NAME = 64
"""Most characters of a file's name; the end has the type."""

_START = "file:"

_captures = SharedStore(256 * MB, lambda capture: capture.nbytes)


def add(data: bytes, file: str) -> str:
    """Read a file, keep its capture, and return the name that stands for the model.

    Raises:
        HeadlightError: If it is no capture that pages can show.
    """
    file = "".join(filter(str.isprintable, file))[-MAX_NAME:].strip() or "capture"
    digest = sha256(data).hexdigest()
    with forward_queue.turn(heavy=True):
        capture = read_capture(data, max_bytes=settings.scale_budget(MAX_UNPACKED))
    texts = (capture.text, capture.text_pair or "", *capture.left_out, *capture.tokens)
    n_heads, n_tokens = capture.n_layers * capture.n_heads, len(capture.tokens)
    if capture.other_keys is not None:
        raise HeadlightError(
            "Pages show attention among the tokens of one text. Open cross-attention in Python."
        )
    if n_heads > MAX_HEADS or n_tokens > MAX_TOKENS or sum(map(len, texts)) > 2 * MAX_CHARACTERS:
        raise HeadlightError(
            "This file is too large. Pages show up to {most_heads:,} heads and {most_tokens:,} "
            "tokens of {most_characters:,} characters.",
            most_heads=MAX_HEADS,
            most_tokens=MAX_TOKENS,
            most_characters=MAX_CHARACTERS,
        )
    # What the file states about its origin is not ours to repeat.
    origin = {"file": file, "file_sha256": digest}
    name = f"{_START}{sha256(f'{digest} {file}'.encode()).hexdigest()[:16]}:{file}"
    _captures.put(name, replace(capture, model=file, origin=origin))
    return name


def capture(name: str) -> AttentionCapture:
    """Return the capture of a file by the name of :func:`add`; a HeadlightError if it is gone."""
    found: AttentionCapture | None = once_per_run((_captures, name), lambda: _captures.get(name))
    if found is None:
        raise HeadlightError(
            "The file {file} is not on this server any more: files stay only while they are used. "
            "Drop it on Explore again.",
            file=file_name(name),
        )
    return found


def is_file(model: str) -> bool:
    """Check whether a model's name stands for a file of :func:`add`."""
    return model.startswith(_START)


def file_name(name: str) -> str:
    """Return the name of a file as it was dropped."""
    return name.split(":", 2)[-1]
