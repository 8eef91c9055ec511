"""A pretrained model read from a folder: configuration, weights and tokenizer.

Only safetensors are read, remote code is never run, and attention is asked for by name ("eager"):
the default implementation of transformers forms no weights.
"""

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.capture.sites import Stack
from model.catalogue.loaded import LoadedModel
from model.catalogue.pretrained.decoders import as_causal, check_language_head
from model.catalogue.pretrained.families import FAMILIES
from model.catalogue.pretrained.sizes import (
    MOST_CONFIG,
    check_counts,
    check_heads,
    check_weights,
    unreadable,
)
from model.catalogue.pretrained.task_heads import (
    AUTO_CLASSES,
    language_head,
    masked_lm,
    task,
    task_head,
)
from model.errors import HeadlightError

EITHER: tuple[Stack, ...] = ("encoder", "decoder")


def load_folder(name: str, folder: Path, of: tuple[Stack, ...] = ("encoder",)) -> LoadedModel:
    """Load a model from a folder that ``save_pretrained`` wrote.

    Args:
        name: What it is called.
        folder: Where it is.
        of: Which may be loaded: encoders, decoders (they come as a LoadedCausal), or both.

    Raises:
        HeadlightError: If the folder is no model, the family is not one of those that Headlight
            reads, it is too large, the weights are pickled, broken or incomplete, or there is no
            tokenizer that fits them.
    """
    config = _load_config(name, folder, of)
    family = FAMILIES[config.model_type]
    if family.stack == "decoder":
        check_language_head(name, config)
        module = _load_module(name, folder, config, AutoModelForCausalLM)
        return as_causal(name, family, module, config, _load_tokenizer(name, folder, module))
    head = task_head(name, config)
    module = _load_module(name, folder, config, AUTO_CLASSES[head])
    tokenizer = _load_tokenizer(name, folder, module)
    encoder = module.base_model
    return LoadedModel(
        name=name,
        module=module,
        encode=family.forward(encoder, config, "last_hidden_state"),
        masked_lm=masked_lm(family, module, config, head),
        mask_token=tokenizer.mask_token or "[MASK]",
        language_head=language_head(family, module, head),
        task=task(family, module, config, head),
        tokenizer=tokenizer.backend_tokenizer,
        n_layers=config.num_hidden_layers,
        n_heads=config.num_attention_heads,
        d_model=config.hidden_size,
        max_len=family.max_len(config),
        outputs=family.outputs(encoder, config),
        layers=family.layers(encoder),
        position_table=family.positions(encoder, config),
    ).hooked(family.sites(encoder, config))


def _load_config(name: str, folder: Path, of: tuple[Stack, ...]) -> PretrainedConfig:
    try:
        found = (folder / "config.json").is_file()
    except OSError as error:  # a folder that may not be entered
        raise HeadlightError(
            "Headlight may not enter {name}: give it the right to read there.", name=name
        ) from error
    if not found:
        raise HeadlightError(
            "{name} holds no model: there is no config.json in it. Point to the folder that "
            "save_pretrained wrote.",
            name=name,
        )
    try:
        # Read by hand first: transformers would look up an unknown type on the hub.
        with (folder / "config.json").open("rb") as file:
            content = file.read(MOST_CONFIG + 1)
        if len(content) > MOST_CONFIG:
            raise ValueError(len(content))
        declared = json.loads(content.decode("utf-8"))
        model_type = str(declared.get("model_type") or "unknown")
    except Exception as error:  # not JSON, not text, not an object, nested too deep
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    _check_type(name, model_type, of)
    check_counts(name, declared)
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # transformers raises a dozen types for a value that it dislikes
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    family = FAMILIES[model_type]
    if family.stack == "encoder" and getattr(config, "is_decoder", False):
        raise HeadlightError(
            "{name} was trained as a decoder (is_decoder in its config.json). This page looks at "
            "encoders: {families}.",
            name=name,
            families=_families(("encoder",)),
        )
    family.refuse(name, config)
    return config


def _families(of: tuple[Stack, ...]) -> str:
    """Those of some stacks, as a message lists them."""
    return ", ".join(name for name, family in FAMILIES.items() if family.stack in of)


def _check_type(name: str, model_type: str, of: tuple[Stack, ...]) -> None:
    if model_type in FAMILIES and FAMILIES[model_type].stack in of:
        return
    families = _families(of)
    if "decoder" not in of:
        raise HeadlightError(
            "{name} is a model of type {model_type}. This page looks at encoders: {families}.",
            name=name,
            model_type=model_type,
            families=families,
        )
    raise HeadlightError(
        "{name} is a model of type {model_type}. These can be looked at here: {families}.",
        name=name,
        model_type=model_type,
        families=families,
    )


def _load_module(
    name: str, folder: Path, config: PretrainedConfig, auto_class: Any
) -> PreTrainedModel:
    if not any(folder.glob("*.safetensors")):
        raise HeadlightError(
            "{name} has no safetensors. Headlight opens no pickle files (.bin): they can run any "
            "program. Convert it with save_pretrained.",
            name=name,
        )
    check_heads(name, config)
    check_weights(name, folder, config, auto_class)
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
        raise unreadable(name) from error
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


def _load_tokenizer(name: str, folder: Path, module: PreTrainedModel) -> PreTrainedTokenizerFast:
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
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    table = next(module.get_input_embeddings().parameters())  # (vocab_size, d_model)
    _check_vocabulary(name, backend, len(table))
    return tokenizer


def _check_vocabulary(name: str, tokenizer: Tokenizer, n_rows: int) -> None:
    """Refuse a tokenizer that knows more than the model: its first rare word would be an error."""
    # A template may bring tokens that are in no vocabulary.
    template = tokenizer.encode("a", "a").ids
    largest = max([*tokenizer.get_vocab(with_added_tokens=True).values(), *template])
    if largest >= n_rows:
        raise HeadlightError(
            "The tokenizer of {name} is another model's: its tokens are numbered up to {largest}, "
            "and the embeddings have {n_rows} rows.",
            name=name,
            largest=largest,
            n_rows=n_rows,
        )
