"""Progress of a survey in a file, so that an interrupted survey resumes."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from model.analysis.survey.spread import Compute
from model.errors import HeadlightError

TOGETHER = 64
"""Texts between two saves."""


def in_parts(
    compute: Compute,
    texts: Sequence[str],
    part: Path,
    origin: Mapping[str, str],
    shape: tuple[int, ...],
    spread: Callable[[Compute, Iterable[list[str]]], Iterable[np.ndarray]] = map,
) -> np.ndarray:
    """Compute numbers for every text, float32 (N, *shape), and save them on the way.

    ``part`` is the file of the numbers so far: a line of JSON, then the raw numbers. It is read at
    the start; delete it after the result is saved. ``spread`` applies ``compute`` to each part of
    the texts, in order. Raises a HeadlightError if the file belongs to another survey, or cannot be
    written.
    """
    header = json.dumps({**origin, "shape": shape}, sort_keys=True).encode() + b"\n"
    try:
        if part.exists():
            with part.open("rb") as file:
                same = file.read(len(header)) == header
            if not same:
                raise HeadlightError(
                    "{part} holds the progress of another survey. Delete it to start again, or "
                    "name another file with --out.",
                    part=str(part),
                )
        else:
            part.write_bytes(header)
        width = int(np.prod(shape))
        # A write that was cut off leaves a part of a row, which is computed again.
        done = (part.stat().st_size - len(header)) // (4 * width)
        with (
            part.open("r+b") as file,
            tqdm(total=len(texts), initial=done, unit=" texts", dynamic_ncols=True) as bar,
        ):
            file.truncate(len(header) + 4 * width * done)
            file.seek(0, 2)
            starts = range(done, len(texts), TOGETHER)
            parts = [list(texts[start : start + TOGETHER]) for start in starts]
            for found in spread(compute, parts):
                file.write(found.astype(np.float32).tobytes())
                file.flush()
                bar.update(len(found))
    except OSError as error:
        raise HeadlightError(
            "{part} cannot be written. Name another file with --out.", part=str(part)
        ) from error
    return np.memmap(part, np.float32, "r", len(header), (len(texts), *shape))
