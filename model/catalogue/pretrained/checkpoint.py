"""What lies in a model's folder: configuration, weights and tokenizer, each read with care.

Only safetensors are read, remote code is never run, and attention is asked for by name ("eager"):
the default implementation of transformers forms no weights.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import (
    AutoConfig,
    AutoModel,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.catalogue.pretrained.sizes import MOST_CONFIG, check_counts, check_weights, unreadable
from model.errors import HeadlightError


def declared(name: str, folder: Path) -> dict[str, Any]:
    """What a folder's config.json says, read by hand: transformers would look up an unknown type.

    Args:
        name: What the model is called.
        folder: Where it is.

    Raises:
        HeadlightError: If there is none, or it is no JSON object.
    """
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
        with (folder / "config.json").open("rb") as file:
            content = file.read(MOST_CONFIG + 1)
        if len(content) > MOST_CONFIG:
            raise ValueError(len(content))
        read = json.loads(content.decode("utf-8"))
        return {**read, "model_type": str(read.get("model_type") or "unknown")}
    except Exception as error:  # not JSON, not text, not an object, nested too deep
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error


def load_config(name: str, folder: Path, said: Mapping[str, Any]) -> PretrainedConfig:
    """A folder's configuration, after :func:`declared` has read it.

    Raises:
        HeadlightError: If it names too many layers or labels, or transformers cannot read it.
    """
    check_counts(name, said)
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # transformers raises a dozen types for a value that it dislikes
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    return config


def load_module(
    name: str, folder: Path, config: PretrainedConfig, auto_class: Any
) -> PreTrainedModel:
    """A folder's weights, in 32 bits, with attention that forms its weights.

    Raises:
        HeadlightError: If they are pickled, broken, incomplete, too many, or another model's.
    """
    if not any(folder.glob("*.safetensors")):
        raise HeadlightError(
            "{name} has no safetensors. Headlight opens no pickle files (.bin): they can run any "
            "program. Convert it with save_pretrained.",
            name=name,
        )
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
    surplus = sorted(key for key in report["unexpected_keys"] if "att" in key.lower())
    if surplus:
        raise HeadlightError(
            "The weights of {name} do not fit its config.json: {first} has no place in the model.",
            name=name,
            first=surplus[0],
        )
    return module


def load_tokenizer(name: str, folder: Path, module: PreTrainedModel) -> PreTrainedTokenizerFast:
    """A folder's tokenizer, which neither pads nor cuts.

    Raises:
        HeadlightError: If there is none that can be read, or it is another model's.
    """
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
    check_vocabulary(name, backend, len(table))
    return tokenizer


def check_vocabulary(name: str, tokenizer: Tokenizer, n_rows: int) -> None:
    """Refuse a tokenizer that knows more than the model: its first rare word would be an error.

    Raises:
        HeadlightError: If it does.
    """
    # A template may bring tokens that are in no vocabulary.
    template = tokenizer.encode("a", "a").ids
    largest = max([*tokenizer.get_vocab(with_added_tokens=True).values(), *template])
    if largest >= n_rows:
        raise other_vocabulary(name, largest, n_rows)


def other_vocabulary(name: str, largest: int, n_rows: int) -> HeadlightError:
    """What is said of a tokenizer that knows more than the model."""
    return HeadlightError(
        "The tokenizer of {name} is another model's: its tokens are numbered up to {largest}, "
        "and the embeddings have {n_rows} rows.",
        name=name,
        largest=largest,
        n_rows=n_rows,
    )
