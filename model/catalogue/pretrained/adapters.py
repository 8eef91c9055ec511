"""Adapters of LoRA (Hu et al. 2022): W + alpha / r * B A, added to the weights of a base model.

Axes: R rank, I inputs, O outputs.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from model.catalogue.placement import Placement
from model.catalogue.pretrained.checkpoint import no_safetensors, read_json
from model.catalogue.pretrained.size_limits import check_memory, held, unreadable
from model.errors import HeadlightError

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"

PREFIX = "base_model.model."
"""Beginning of each name in an adapter of peft."""

NOT_PLAIN = (
    *("use_dora", "use_qalora", "use_bdlora", "lora_bias", "alpha_pattern", "layer_replication"),
    *("alora_invocation_tokens", "arrow_config", "target_parameters", "trainable_token_indices"),
)
"""Settings of peft that change the formula or the weights to which it applies."""

PLAIN_STARTS = (None, True, False, "gaussian", "orthogonal", "eva")
"""Initial values of A and B that leave the base model unchanged."""


def is_adapter(path: Path) -> bool:
    """Check whether a folder has an adapter instead of a model.

    Args:
        path: The folder.
    """
    # Unlike Path.is_file, os.path.isfile is False without permission.
    return os.path.isfile(path / CONFIG) and not os.path.isfile(path / "config.json")


def base_name(name: str, folder: Path) -> str:
    """Read the base model of an adapter: a hub id, with its revision, or a folder.

    Args:
        name: Name of the adapter.
        folder: Its folder.

    Raises:
        HeadlightError: If it is not plain LoRA, or names no base model.
    """
    declared = _read(name, folder)
    base, revision = declared.get("base_model_name_or_path"), declared.get("revision")
    if not isinstance(base, str) or not base:
        raise HeadlightError(
            "The adapter_config.json of {name} names no base model. Write it into "
            "base_model_name_or_path.",
            name=name,
        )
    return f"{base}@{revision}" if isinstance(revision, str) and revision else base


def merge(name: str, folder: Path, base: str, module: PreTrainedModel, place: Placement) -> None:
    """Add an adapter to the weights of its base model, in place.

    Args:
        name: Name of the adapter.
        folder: Its folder.
        base: Name of the base model.
        module: The base model.
        place: Where it runs.

    Raises:
        HeadlightError: If the weights are pickled, unreadable or too many, or do not fit the base
            model.
    """
    declared = _read(name, folder)
    if not (folder / WEIGHTS).is_file():
        raise no_safetensors(name)
    try:
        check_memory(name, held(folder / WEIGHTS), place)
        stored = {key.removeprefix(PREFIX): x for key, x in load_file(folder / WEIGHTS).items()}
    except HeadlightError:
        raise
    except Exception as error:  # safetensors raises many types
        raise unreadable(name) from error
    own = dict(module.named_parameters())
    prefix = f"{module.base_model_prefix}."
    with torch.no_grad():
        for key in stored:
            path, _, part = key.rpartition(".lora_")
            if part == "A.weight" and f"{path}.lora_B.weight" in stored:
                continue  # with its B
            of_lora = part == "B.weight"
            end = f"{path}.weight" if of_lora else key
            found = next((n for n in (end, end.removeprefix(prefix), prefix + end) if n in own), "")
            if not found and key.split(".")[0] in (declared.get("modules_to_save") or ()):
                continue  # a head, on which attention does not depend
            change = _product(path, stored, declared) if of_lora else stored[key]
            if of_lora and isinstance(module.get_submodule(found.rpartition(".")[0]), Conv1D):
                change = change.T  # (O, I) -> (I, O)
            if not found or change.shape != own[found].shape:
                raise HeadlightError(
                    "The adapter {name} does not fit its base model {base}: the model has no "
                    "{key} of this shape.",
                    name=name,
                    base=base,
                    key=end,
                )
            weight = own[found]
            change = change.to(weight.device)
            weight.copy_(weight.float() + change if of_lora else change)


def _product(path: str, stored: Mapping[str, Tensor], declared: Mapping[str, Any]) -> Tensor:
    """Compute alpha / R * B A, or alpha / sqrt(R) * B A (Kalajdzievski 2023); (O, I), float32.

    Empty if the factors do not fit.
    """
    a, b = (stored.get(f"{path}.lora_{part}.weight", torch.empty(0)).float() for part in "AB")
    rank = len(a)
    if a.ndim != 2 or b.ndim != 2 or b.shape[1] != rank:
        return torch.empty(0)
    divisor = rank**0.5 if declared.get("use_rslora") else rank
    return b @ a * (declared["lora_alpha"] / divisor)  # (O, R) @ (R, I) -> (O, I)


def _read(name: str, folder: Path) -> Mapping[str, Any]:
    """Read the adapter_config.json and refuse what is not plain LoRA."""
    declared = read_json(name, folder / CONFIG)
    kind, alpha = str(declared.get("peft_type")), declared.get("lora_alpha")
    changed = [setting for setting in NOT_PLAIN if declared.get(setting)]
    if declared.get("init_lora_weights") not in PLAIN_STARTS:
        changed.append("init_lora_weights")
    if kind != "LORA" or changed or not isinstance(alpha, (int, float)):
        raise HeadlightError(
            "{name} is an adapter of type {kind}. Headlight merges plain LoRA. Merge it with its "
            "base model {base}: merge_and_unload() of peft, then save_pretrained().",
            name=name,
            kind=" with ".join([kind, *changed]),
            base=str(declared.get("base_model_name_or_path")),
        )
    return declared
