"""The numbers of a survey for some texts at a time, here or in tasks of Ray, saved on the way."""

import json
import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from model.analysis.survey.heads_off import effects
from model.analysis.survey.table import measured
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.models import load_model
from model.catalogue.placement import Device, Dtype
from model.errors import HeadlightError

Compute = Callable[[list[str]], np.ndarray]
"""From some texts to their numbers, float32 (n, M, L, H)."""

TOGETHER = 64
"""Texts between two saves."""


@lru_cache(maxsize=1)
def load(name: str, device: Device, dtype: Dtype) -> LoadedModel:
    """Load an encoder or a decoder, once in each process."""
    torch.set_num_threads(1)  # sequences are short: threads would only wait for each other
    model = load_model(name, device=device, dtype=dtype)
    if not isinstance(model, LoadedModel):
        raise HeadlightError(
            "{model} is an encoder-decoder, whose attention also depends on the text that it "
            "writes. Surveys read encoders and decoders.",
            model=name,
        )
    return model


def numbers(options: Namespace, columns: Sequence[str], texts: list[str]) -> np.ndarray:
    """Compute the numbers of some texts, float32 (n, M, L, H); with ``--off`` M is 2."""
    model = load(options.model, options.device, options.dtype)
    reading = {"batch_size": options.batch_size, "max_tokens": options.max_tokens}
    if options.off:
        return effects(model, texts, options.off, options.words, **reading)
    return np.array(list(measured(model, texts, columns, **reading)))


def over_ray(compute: Compute, parts: Iterable[list[str]], device: Device) -> Iterator[np.ndarray]:
    """Yield the numbers of each part in order, each from a task of Ray.

    Ray runs on the cluster of RAY_ADDRESS, or on this machine. On CUDA, a task has its own device.
    Raises a HeadlightError if Ray is not installed, or a task raises one.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is imported
    try:
        import ray
    except ImportError as error:
        raise HeadlightError(
            "Ray is not installed: pip install -r requirements-ray.txt, or leave out --ray."
        ) from error
    address = os.environ.get("RAY_ADDRESS", "local")
    # Ray's own ports accept commands from anybody, so a local Ray binds to the loopback interface.
    local = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    with ray.init(address, log_to_driver=False, **(local if address == "local" else {})):
        task = ray.remote(num_cpus=1, num_gpus=int(device == "cuda"))(lambda part: compute(part))
        try:
            yield from map(ray.get, [task.remote(part) for part in parts])
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error


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
