"""A pretrained model read from a folder: configuration, weights and tokenizer.

Only safetensors are read, remote code is never run, and attention is asked for by name ("eager"):
the default implementation of transformers forms no weights.
"""

import json
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoConfig,
    AutoModel,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.catalogue.loaded import LoadedModel
from model.catalogue.pretrained.families import FAMILIES
from model.catalogue.pretrained.task_heads import AUTO_CLASSES, masked_lm, task, task_head
from model.errors import HeadlightError


def load_folder(name: str, folder: Path) -> LoadedModel:
    """Load an encoder from a folder that ``save_pretrained`` wrote.

    Raises:
        HeadlightError: If the folder is no model, the family is not an encoder that Headlight
            reads, the weights are pickled, broken or incomplete, or there is no tokenizer.
    """
    config = _load_config(name, folder)
    family = FAMILIES[config.model_type]
    head = task_head(name, config)
    module = _load_module(name, folder, AUTO_CLASSES[head])
    tokenizer = _load_tokenizer(name, folder)
    encoder = module.base_model
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    return LoadedModel(
        name=name,
        module=module,
        encode=family.forward(encoder, config, "last_hidden_state"),
        masked_lm=masked_lm(family, module, config, head),
        mask_token=tokenizer.mask_token or "[MASK]",
        task=task(family, module, config, head),
        tokenizer=backend,
        n_layers=config.num_hidden_layers,
        n_heads=config.num_attention_heads,
        d_model=config.hidden_size,
        max_len=family.max_len(config),
        outputs=family.outputs(encoder, config),
        position_table=family.positions(encoder, config),
    ).hooked(family.sites(encoder, config))


def _load_config(name: str, folder: Path) -> PretrainedConfig:
    if not (folder / "config.json").is_file():
        raise HeadlightError(
            "{name} holds no model: there is no config.json in it. Point to the folder that "
            "save_pretrained wrote.",
            name=name,
        )
    try:
        # Read by hand first: transformers would look up an unknown type on the hub.
        declared = json.loads((folder / "config.json").read_text("utf-8"))
        model_type = str(declared.get("model_type") or "unknown")
    except Exception as error:  # not JSON, not text, not an object, nested too deep
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    if model_type not in FAMILIES:
        raise HeadlightError(
            "{name} is a model of type {model_type}. This page looks at encoders: {families}.",
            name=name,
            model_type=model_type,
            families=", ".join(FAMILIES),
        )
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # transformers raises a dozen types for a value that it dislikes
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    if getattr(config, "is_decoder", False):
        raise HeadlightError(
            "{name} was trained as a decoder (is_decoder in its config.json). This page looks at "
            "encoders: {families}.",
            name=name,
            families=", ".join(FAMILIES),
        )
    FAMILIES[model_type].refuse(name, config)
    return config


def _load_module(name: str, folder: Path, auto_class: Any) -> PreTrainedModel:
    if not any(folder.glob("*.safetensors")):
        raise HeadlightError(
            "{name} has no safetensors. Headlight opens no pickle files (.bin): they can run any "
            "program. Convert it with save_pretrained.",
            name=name,
        )
    try:
        module, report = auto_class.from_pretrained(
            folder,
            attn_implementation="eager",
            dtype=torch.float32,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except Exception as error:  # of safetensors, of torch, or of a check inside transformers
        raise HeadlightError(
            "The weights of {name} cannot be read: the file is broken or of another size than its "
            "config.json says. Fetch it again.",
            name=name,
        ) from error
    # transformers fills what is missing with random numbers and only logs it.
    missing = sorted(report["missing_keys"])
    if auto_class is AutoModel:  # without a head nothing reads the pooler
        missing = [key for key in missing if "pooler" not in key]
    if missing:
        raise HeadlightError(
            "The weights of {name} are incomplete: {n_missing} are missing, {first} among them.",
            name=name,
            n_missing=len(missing),
            first=missing[0],
        )
    # It also ignores what it has no place for. Surplus heads of other tasks are harmless; surplus
    # attention (another position scheme, more layers) means that it computes another model.
    surplus = sorted(key for key in report["unexpected_keys"] if "att" in key)
    if surplus:
        raise HeadlightError(
            "The weights of {name} do not fit its config.json: {first} has no place in the model.",
            name=name,
            first=surplus[0],
        )
    return module


def _load_tokenizer(name: str, folder: Path) -> PreTrainedTokenizerFast:
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # tokenizers raises bare Exceptions
        raise HeadlightError("{name} has no tokenizer that can be read.", name=name) from error
    # Without a vocabulary file transformers makes up a tokenizer of nothing but special tokens.
    special = set(tokenizer.all_special_tokens)
    if not isinstance(tokenizer, PreTrainedTokenizerFast) or set(tokenizer.get_vocab()) <= special:
        raise HeadlightError("{name} has no tokenizer.json.", name=name)
    return tokenizer
