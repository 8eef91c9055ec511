"""Adapters of LoRA (Hu et al. 2022): ``peft`` adds them to the weights of their base model."""

import os
import re
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import PreTrainedModel

from model.catalogue.placement import Placement
from model.catalogue.pretrained.checkpoint import read_json
from model.catalogue.pretrained.hub import no_safetensors
from model.catalogue.pretrained.size_limits import check_memory, held, unreadable
from model.errors import HeadlightError

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"

PREFIX = "base_model.model."
"""Beginning of each name in an adapter of peft."""

READ = (
    *("lora_alpha", "use_rslora", "use_dora", "bias", "lora_bias", "fan_in_fan_out"),
    *("alpha_pattern", "modules_to_save", "ensure_weight_tying", "trainable_token_indices"),
)
"""Settings that determine the merged weights, besides the weights of the adapter."""

WITHOUT_EFFECT = (
    *("peft_type", "task_type", "auto_mapping", "base_model_name_or_path", "revision"),
    *("inference_mode", "peft_version", "lora_dropout", "init_lora_weights", "runtime_config"),
    *("r", "rank_pattern", "target_modules", "exclude_modules"),
    *("layers_to_transform", "layers_pattern", "eva_config", "megatron_config", "megatron_core"),
)
"""Settings of the training, and those that the names and shapes of the weights repeat."""

FACTOR = re.compile(r"(.+)\.lora_(?:embedding_)?A(?:\.weight)?")
"""Name of the first factor of a module's change; its length is the rank."""

DUPLICATE = re.compile(r"\.(modules_to_save|original_module)\.")
"""In names of weights that peft 0.21 writes twice, after an enlarged vocabulary."""

PLAIN_STARTS = (None, True, False, "gaussian", "orthogonal", "eva")
"""Initial values of A and B that leave the base model unchanged."""

NO_MODULES = "dummy-target-modules"
"""What peft calls the modules of an adapter that has saved modules alone."""

PLAIN_PATTERN = re.compile(r"[\w.^$]+")
"""A pattern of module names without repetition, which could take any time to match."""


def is_adapter(path: Path) -> bool:
    """Check whether a folder has an adapter instead of a model."""
    # Unlike Path.is_file, os.path.isfile is False without permission.
    return os.path.isfile(path / CONFIG) and not os.path.isfile(path / "config.json")


def base_name(name: str, folder: Path) -> str:
    """Read the base model of an adapter: a hub id, with its revision, or a folder."""
    declared = read_json(name, folder / CONFIG)
    base, revision = declared.get("base_model_name_or_path"), declared.get("revision")
    if not isinstance(base, str) or not base:
        raise HeadlightError(
            "The adapter_config.json of {name} names no base model. Write it into "
            "base_model_name_or_path.",
            name=name,
        )
    return f"{base}@{revision}" if isinstance(revision, str) and revision else base


def merge(
    name: str, folder: Path, base: str, module: PreTrainedModel, place: Placement
) -> PreTrainedModel:
    """Add an adapter to the weights of its base model. The module is changed in place."""
    try:
        peft: Any = import_module("peft")
    except ImportError as error:
        raise HeadlightError(
            "{name} is an adapter (LoRA). Headlight opens adapters with peft: "
            "pip install headlight-attention[peft]",
            name=name,
        ) from error
    declared = _read(name, folder, peft)
    stored = _stored(name, folder, module, place)
    ranks = {match[1]: len(x) for key, x in stored.items() if (match := FACTOR.fullmatch(key))}
    try:
        for path, rank in ranks.items():  # peft allocates factors of any rank
            if not 0 < rank <= max(module.get_parameter(f"{path}.weight").shape):
                raise ValueError(rank)
        saved = declared.get("modules_to_save") or ()
        own = {path for path, _ in module.named_modules()}
        absent = [
            each for each in saved if not any(f".{path}".endswith(f".{each}") for path in own)
        ]
        # A head of another task, on which attention does not depend.
        stored = {key: x for key, x in stored.items() if key.split(".")[0] not in absent}
        _enlarge(module, stored)
        settings = {setting: declared[setting] for setting in READ if setting in declared}
        settings["modules_to_save"] = [each for each in saved if each not in absent] or None
        config = peft.LoraConfig(
            target_modules=sorted(ranks) or NO_MODULES,
            rank_pattern={f"^{re.escape(path)}$": rank for path, rank in ranks.items()},
            **settings,
        )
        # peft draws the initial values, and warns of what it corrects itself.
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings(action="ignore"):
            adapted = peft.get_peft_model(module, config, autocast_adapter_dtype=False)
            report = peft.set_peft_model_state_dict(
                adapted, {PREFIX + key: x for key, x in stored.items()}
            )
            missing = [key for key in report.missing_keys if "lora_" in key or "_to_save" in key]
            # peft 0.21 writes the trained rows of a tied table twice.
            surplus = [key for key in report.unexpected_keys if not key.endswith("tokens_delta")]
            if missing or surplus:
                raise KeyError(*missing, *surplus)
            merged: PreTrainedModel = adapted.merge_and_unload()
    except Exception as error:  # peft and torch raise many types for names and shapes
        raise HeadlightError(
            "The adapter {name} does not fit its base model {base}. Its weights are for other "
            "modules, or for modules of another size.",
            name=name,
            base=base,
        ) from error
    return merged


def _stored(
    name: str, folder: Path, module: PreTrainedModel, place: Placement
) -> dict[str, Tensor]:
    """Read the weights, named as in the base model. One of the two may lack the other's head."""
    if not (folder / WEIGHTS).is_file():
        raise no_safetensors(name)
    try:
        check_memory(name, held(folder / WEIGHTS), place)
        stored = {
            key.removeprefix(PREFIX): x
            for key, x in load_file(folder / WEIGHTS).items()
            if not DUPLICATE.search(key)
        }
        if not stored:
            raise ValueError(name)
    except HeadlightError:
        raise
    except Exception as error:  # safetensors raises many types
        raise unreadable(name) from error
    prefix, base = f"{module.base_model_prefix}.", module.base_model
    if base is module:
        return {key.removeprefix(prefix): x for key, x in stored.items()}
    parts = dict(base.named_children())
    return {prefix * (key.split(".")[0] in parts) + key: x for key, x in stored.items()}


def _enlarge(module: Any, stored: Mapping[str, Tensor]) -> None:
    """Give the token tables as many rows as an adapter for a larger vocabulary stores."""
    first, last = module.get_input_embeddings(), module.get_output_embeddings()
    rows = {
        part: len(x)
        for path, part in module.named_modules()
        for kind in ("", "base_layer.", "token_adapter.base_layer.")
        if part in (first, last) and (x := stored.get(f"{path}.{kind}weight")) is not None
        if x.shape[1:] == part.weight.shape[1:]
    }
    if first not in rows or rows[first] == len(first.weight):
        return
    if last is not None and last not in rows and last.weight is not first.weight:
        raise ValueError(rows[first])  # its new rows are unknown
    module.resize_token_embeddings(rows[first], mean_resizing=False)


def _read(name: str, folder: Path, peft: Any) -> Mapping[str, Any]:
    """Read the adapter_config.json and refuse settings whose effect is not merged here."""
    declared = read_json(name, folder / CONFIG)
    kind, defaults = str(declared.get("peft_type")), vars(peft.LoraConfig())
    changed = [
        setting
        for setting, value in declared.items()
        if setting not in (*READ, *WITHOUT_EFFECT) and value and value != defaults.get(setting)
    ]
    if declared.get("init_lora_weights") not in PLAIN_STARTS:
        changed.append("init_lora_weights")
    patterns = declared.get("alpha_pattern") or {}
    if not all(PLAIN_PATTERN.fullmatch(str(each)) for each in patterns):
        changed.append("alpha_pattern")
    if kind != "LORA" or changed or not isinstance(declared.get("lora_alpha"), (int, float)):
        raise HeadlightError(
            "{name} is an adapter of type {kind}. Headlight merges plain LoRA. Merge it with its "
            "base model {base}: merge_and_unload() of peft, then save_pretrained().",
            name=name,
            kind=" with ".join([kind, *changed]),
            base=str(declared.get("base_model_name_or_path")),
        )
    return declared
