"""Captures as bytes that other programs read: NumPy's .npz, and JSON."""

import io
import json
from typing import Any

import numpy as np
import orjson

from model.errors import HeadlightError


def not_ours() -> HeadlightError:
    """What is said of a file that Headlight did not write."""
    return HeadlightError("This is not a capture that Headlight saved.")


def npz(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Write arrays, and the rest as a JSON text called ``meta``."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays, meta=np.array(json.dumps(meta)))
    return file.getvalue()


def read_npz(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what :func:`npz` wrote: the meta data, and the arrays.

    Raises:
        HeadlightError: If the bytes are no such file.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return dict(json.loads(str(arrays.pop("meta")))), arrays
    except Exception as error:  # of zipfile, zlib, struct, json or NumPy
        raise not_ours() from error


def json_text(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Write arrays as nested lists; every float32 with as many digits as bring it back."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return orjson.dumps({**meta, **whole}, option=orjson.OPT_SERIALIZE_NUMPY)
