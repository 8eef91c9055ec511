"""Checkpoints of a run: atomic writes, and a check that a checkpoint belongs to the run."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from model.errors import HeadlightError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def write_checkpoint(file: Path, state: dict[str, Any]) -> None:
    """Replace a checkpoint atomically.

    Args:
        file: The checkpoint.
        state: Its content, see ``torch.save``.

    Raises:
        HeadlightError: If the write fails. The previous checkpoint remains.
    """
    try:
        with open(f"{file}.new", "wb") as handle:
            torch.save(state, handle)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(f"{file}.new", file)
    except (OSError, RuntimeError) as error:  # torch reports a full disk as a RuntimeError
        raise HeadlightError(
            "The checkpoint was not written to {folder} ({reason}). Check the free disk space. "
            "The previous checkpoint is still there.",
            folder=str(file.parent),
            reason=str(error).splitlines()[0],
        ) from error


def check_same_run(
    folder: Path,
    state: dict[str, Any],
    config: "DataclassInstance",
    recipe: "DataclassInstance",
) -> None:
    """Check that a checkpoint has this model configuration and this recipe.

    Args:
        folder: Folder of the run, for the error message.
        state: Content of the checkpoint.
        config: Configuration of the model.
        recipe: Recipe of the run.

    Raises:
        HeadlightError: If any value differs; its name and old value are named.
    """
    for name, mine in (("config", asdict(config)), ("recipe", asdict(recipe))):
        theirs = state[name]
        other = sorted(key for key in mine if theirs.get(key) != mine[key])
        if other:
            raise HeadlightError(
                "The run in {folder} started with another {what}. Use the earlier settings, or "
                "choose another folder.",
                folder=str(folder),
                what=", ".join(f"{key} ({theirs.get(key)})" for key in other),
            )
