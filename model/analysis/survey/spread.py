"""The numbers of a survey for some texts at a time, in this process or in tasks of Ray."""

import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import torch

from model.analysis.survey.heads_off import effects
from model.analysis.survey.table import measured
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.models import load_model
from model.catalogue.placement import Device, Dtype
from model.errors import HeadlightError

Compute = Callable[[list[str]], np.ndarray]
"""From some texts to their numbers, float32 (n, M, L, H)."""


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
