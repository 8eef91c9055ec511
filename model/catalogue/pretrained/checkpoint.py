"""Configuration, weights and tokenizer of a model's folder, read safely.

Only safetensors are read, and remote code is never run. Attention must be "eager": the default
implementation of transformers computes no weights.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from transformers import (
    AutoConfig,
    AutoModel,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import size_limits
from model.catalogue.pretrained.hub import no_safetensors
from model.errors import HeadlightError, Items

HOW_TO_RUN = {
    "return_dict": True,
    "chunk_size_feed_forward": 0,
    "output_attentions": False,
    "output_hidden_states": False,
}
"""Settings of transformers that change how a model runs, not what it computes."""

TOKENIZER_FILES = ("tokenizer*", "vocab*", "*.model")
"""Files from which transformers makes a tokenizer."""


def read_config(name: str, folder: Path) -> dict[str, Any]:
    """Read config.json without transformers, which would look for the code of an unknown type."""
    try:
        found = (folder / "config.json").is_file()
    except OSError as error:  # no permission
        raise HeadlightError(
            "Headlight has no permission to read {name}. Give it read access.", name=name
        ) from error
    if not found:
        raise _not_a_model(name, folder)
    read = read_json(name, folder / "config.json")
    return {**read, "model_type": str(read.get("model_type") or "unknown")}


def read_json(name: str, file: Path) -> dict[str, Any]:
    """Read a file of settings."""
    try:
        with file.open("rb") as content:
            read = content.read(size_limits.MOST_CONFIG + 1)
        if len(read) > size_limits.MOST_CONFIG:
            raise ValueError(len(read))
        return {**json.loads(read.decode("utf-8"))}
    except Exception as error:  # not JSON, not text, not an object, nested too deep
        raise HeadlightError(
            "The {file} of {name} cannot be read.", name=name, file=file.name
        ) from error


def not_text(name: str, config: PretrainedConfig) -> HeadlightError:
    """Make the error for a model that reads no text."""
    return HeadlightError(
        "{name} is a model of type {model_type}, which Headlight does not know as a model of text.",
        name=name,
        model_type=config.model_type,
    )


def _not_a_model(name: str, folder: Path) -> HeadlightError:
    """Make the error for a folder without config.json; say what the folder is, if it is known."""
    if files := sorted(file.name for file in folder.glob("*.gguf")):
        return HeadlightError(
            "{name} has {n_files} GGUF files. Choose one of them, such as {first}.",
            name=name,
            n_files=len(files),
            first=str(folder / files[0]),
        )
    runs = [each.parent.name for each in folder.glob("checkpoint-*/config.json")]
    if runs:
        last = max(runs, key=lambda run: int("".join(filter(str.isdigit, run)) or 0))
        return HeadlightError(
            "{name} is the folder of a training run. Choose a checkpoint in it, such as "
            "{checkpoint}.",
            name=name,
            checkpoint=str(folder / last),
        )
    return HeadlightError(
        "{name} is not a model, because there is no config.json in it. Choose the folder "
        "that save_pretrained wrote.",
        name=name,
    )


def load_config(name: str, folder: Path, declared: Mapping[str, Any]) -> PretrainedConfig:
    """Load a configuration with transformers."""
    size_limits.check_counts(name, declared)
    check_quantisation(name, declared)
    try:
        config: PretrainedConfig = run_plainly(
            AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        )
    except Exception as error:  # transformers raises many types for invalid values
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error
    window = getattr(config, "sliding_window", None)
    if window is not None and window < 1 and getattr(config, "use_sliding_window", True):
        raise HeadlightError(
            "The config.json of {name} sets a window of {window} tokens, so no token can attend to "
            "another. Correct sliding_window or local_attention in it.",
            name=name,
            window=window,
        )
    if getattr(config, "default_language", "") is None:  # X-MOD has an adapter for each language
        languages = list(config.languages)
        if len(languages) != 1:
            raise HeadlightError(
                "{name} has weights for several languages: {languages}. Set default_language in "
                "its config.json to one of them.",
                name=name,
                languages=Items(languages),
            )
        config.default_language = languages[0]
    return config


def check_quantisation(name: str, declared: Mapping[str, Any]) -> None:
    """Refuse quantised weights."""
    if declared.get("quantization_config") is not None:
        raise HeadlightError(
            "According to the config.json of {name}, the weights are quantised. Headlight reads "
            "weights of 16 or 32 bits. Choose the original model.",
            name=name,
        )


def run_plainly(config: PretrainedConfig) -> PretrainedConfig:
    """Set :data:`HOW_TO_RUN`."""
    for setting, value in HOW_TO_RUN.items():
        setattr(config, setting, value)
    return config


def load_module(
    name: str, folder: Path, config: PretrainedConfig, auto_class: Any, place: Placement = CPU
) -> PreTrainedModel:
    """Load the weights of a folder."""
    if not any(folder.glob("*.safetensors")):
        raise no_safetensors(name)
    size_limits.check_weights(name, folder, config, auto_class, place)
    try:
        module, report = auto_class.from_pretrained(
            folder,
            config=config,
            attn_implementation="eager",
            dtype=place.torch_dtype,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
        )
    except Exception as error:  # safetensors, torch and transformers raise many types
        raise size_limits.unreadable(name) from error
    # transformers initialises missing weights at random and only logs it.
    missing = sorted(report["missing_keys"])
    if auto_class is AutoModel:  # without a head, nothing uses the pooler
        for key in [key for key in missing if "pooler" in key]:
            missing.remove(key)
            module.get_parameter(key).data.zero_()  # at random, the hash of the weights would vary
    check_keys(name, missing, report["unexpected_keys"])
    on_device: PreTrainedModel = module.to(place.device)
    return on_device


def check_keys(name: str, missing: Sequence[str], unexpected: Iterable[str]) -> None:
    """Refuse files with too few weights, or attention weights that the model does not have."""
    if missing:
        raise HeadlightError(
            "The weights of {name} are incomplete. {n_missing} are missing, such as {first}.",
            name=name,
            n_missing=len(missing),
            first=missing[0],
        )
    # transformers also ignores surplus weights. A surplus task head is harmless. Surplus
    # attention weights (other positions, more layers) mean that the loaded model is another one.
    surplus = sorted(key for key in unexpected if "att" in key.lower())
    if surplus:
        raise HeadlightError(
            "The weights of {name} do not fit its config.json: the model has no {first}.",
            name=name,
            first=surplus[0],
        )


def load_tokenizer(name: str, folder: Path, module: PreTrainedModel) -> PreTrainedTokenizerFast:
    """Load the tokenizer of a folder, without padding and truncation."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
        if isinstance(tokenizer, PreTrainedTokenizerFast):  # a template without its tokens panics
            tokenizer.backend_tokenizer.encode("")
            tokenizer.backend_tokenizer.encode("", "")
    except BaseException as error:  # tokenizers raises bare Exceptions, and panics
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if not any(any(folder.glob(pattern)) for pattern in TOKENIZER_FILES):
            raise _no_tokenizer(name) from error
        raise HeadlightError(
            "Headlight cannot read the tokenizer of {name}. Copy tokenizer.json and "
            "tokenizer_config.json again from the model that it was trained from.",
            name=name,
        ) from error
    # Without a vocabulary file, transformers makes a tokenizer with special tokens alone.
    special = set(tokenizer.all_special_tokens)
    if not isinstance(tokenizer, PreTrainedTokenizerFast) or set(tokenizer.get_vocab()) <= special:
        raise _no_tokenizer(name)
    return _prepared(name, tokenizer, module)


def fast_tokenizer(
    name: str, tokenizer: object, module: PreTrainedModel
) -> PreTrainedTokenizerFast:
    """Copy a tokenizer in memory, of transformers or tokenizers, without padding and truncation."""
    if isinstance(tokenizer, Tokenizer):
        tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer)  # type: ignore[no-untyped-call]
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise HeadlightError(
            "{name} needs its fast tokenizer, such as AutoTokenizer.from_pretrained returns, and "
            "not a {kind}. Or save both with save_pretrained() and open the folder.",
            name=name,
            kind=type(tokenizer).__name__,
        )
    return _prepared(name, deepcopy(tokenizer), module)


def _prepared(
    name: str, tokenizer: PreTrainedTokenizerFast, module: PreTrainedModel
) -> PreTrainedTokenizerFast:
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    if hasattr(backend.model, "dropout"):  # BPE would cut a text in another way each time
        backend.model.dropout = None
    table = next(module.get_input_embeddings().parameters())  # (vocab_size, d_model)
    check_vocabulary(name, backend, len(table))
    return tokenizer


def _no_tokenizer(name: str) -> HeadlightError:
    return HeadlightError(
        "{name} has no tokenizer.json. Copy it and tokenizer_config.json from the model that it "
        "was trained from, or save the tokenizer into the folder with save_pretrained().",
        name=name,
    )


def check_vocabulary(name: str, tokenizer: Tokenizer, n_rows: int) -> None:
    """Refuse a tokenizer with larger ids than the embeddings have rows."""
    # The template can add tokens that the vocabulary does not list.
    template = tokenizer.encode("", "").ids
    largest = max([*tokenizer.get_vocab(with_added_tokens=True).values(), *template])
    if largest >= n_rows:
        raise other_vocabulary(name, largest, n_rows)


def other_vocabulary(name: str, largest: int, n_rows: int) -> HeadlightError:
    """Make the error for a tokenizer with larger ids than the embeddings have rows."""
    return HeadlightError(
        "The tokenizer of {name} belongs to another model: its largest token id is {largest}, "
        "but there are only {n_rows} embeddings.",
        name=name,
        largest=largest,
        n_rows=n_rows,
    )
