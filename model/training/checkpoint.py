"""A run's checkpoint on disk: whole at every moment, and taken up by no other run."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from model.errors import HeadlightError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def write_checkpoint(file: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint in place of the one before it, which stays whole until it is there.

    Raises:
        HeadlightError: If it cannot be written; the one before it is kept.
    """
    try:
        with open(f"{file}.new", "wb") as handle:
            torch.save(state, handle)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(f"{file}.new", file)
    except (OSError, RuntimeError) as error:  # torch reports a full disk as a RuntimeError
        raise HeadlightError(
            "The checkpoint could not be written to {folder} ({reason}): is the disk full? "
            "The checkpoint before it is kept.",
            folder=str(file.parent),
            reason=str(error).splitlines()[0],
        ) from error


def check_same_run(
    folder: Path,
    state: dict[str, Any],
    config: "DataclassInstance",
    recipe: "DataclassInstance",
) -> None:
    """Make sure that a checkpoint is of a run with this model and this recipe.

    Raises:
        HeadlightError: If anything in them differs, which is named.
    """
    for name, mine in (("config", asdict(config)), ("recipe", asdict(recipe))):
        theirs = state[name]
        other = sorted(key for key in mine if theirs.get(key) != mine[key])
        if other:
            raise HeadlightError(
                "The run in {folder} was begun with another {what}: go on with that one, or "
                "choose another folder.",
                folder=str(folder),
                what=", ".join(f"{key} ({theirs.get(key)})" for key in other),
            )
