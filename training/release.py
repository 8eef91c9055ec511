"""Release of a run: its weights and checkpoints as the files that ship."""

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from model.catalogue.quantise import quantise
from model.errors import HeadlightError
from training.loop import STATE, snapshot_file


def load_run(folder: Path) -> dict[str, Any]:
    """Read the last checkpoint of a run."""
    try:
        state: dict[str, Any] = torch.load(folder / STATE, map_location="cpu", weights_only=True)
    except OSError as error:
        raise _no_run(folder, error) from error
    return state


def load_snapshots(folder: Path, steps: Collection[int]) -> dict[int, dict[str, Tensor]]:
    """Read the weights of a run at some steps."""
    try:
        return {step: load_file(snapshot_file(folder, step)) for step in steps}
    except OSError as error:
        raise _no_run(folder, error) from error


def _no_run(folder: Path, error: OSError) -> HeadlightError:
    return HeadlightError(
        "{run} does not contain a run with these checkpoints: {reason}",
        run=str(folder),
        reason=str(error),
    )


def write_weights(
    folder: Path,
    name: str,
    trained: Mapping[str, Tensor],
    snapshots: Mapping[int, Mapping[str, Tensor]],
    by_frequency: Tensor | None = None,
) -> None:
    """Write the trained weights in 16 bits and the snapshots quantised.

    ``by_frequency`` are token ids, the most frequent first: rare tokens get fewer bits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for step, state in snapshots.items():
        weights = {each: tensor.float() for each, tensor in state.items()}
        (folder / checkpoint_name(name, step)).write_bytes(save(quantise(weights, by_frequency)))
    halves = {each: tensor.half().contiguous() for each, tensor in trained.items()}
    (folder / f"{name}.safetensors").write_bytes(save(halves))


def checkpoint_name(name: str, step: int) -> str:
    """Return the file name of a checkpoint before the last."""
    return f"{name}-{step:06d}.safetensors"


def sha256_of_file(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
