"""Size limits for models from folders, checked before anything is allocated.

A few bytes of configuration can request any size. The checks compare it with the headers of the
weights files.
"""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from transformers import PretrainedConfig

from model.capture.serialisation import MOST_HEADER
from model.catalogue.placement import Placement, free_memory
from model.errors import HeadlightError

MOST_LAYERS = 100
MOST_HEADS = 8_192
"""Most heads of all layers together; a capture then has 67 tokens. Llama 70B has 5,120."""

MOST_LABELS = 10_000

MOST_CONFIG = 1024**2
"""Most bytes of a config.json; one with a thousand named labels has 60 kB."""

LAYERS = (
    *("num_hidden_layers", "n_layers", "n_layer", "num_layers", "num_decoder_layers"),
    *("encoder_layers", "decoder_layers", "num_hidden_groups", "inner_group_num"),
)
COUNTS = {**dict.fromkeys(LAYERS, MOST_LAYERS), "num_labels": MOST_LABELS}
"""Upper limits of the settings for which transformers allocates lists or modules."""


def check_counts(name: str, declared: Mapping[str, Any]) -> None:
    """Refuse a config.json that requests too many layers or labels."""
    parts = [declared]
    while parts:  # T5Gemma's encoder and decoder have parts of their own
        part = parts.pop()
        for setting, most in COUNTS.items():
            _at_most(name, setting, part.get(setting), most)
        parts += [value for value in part.values() if isinstance(value, Mapping)]


def check_heads(name: str, config: PretrainedConfig) -> None:
    """Refuse a model whose captures would be too large, or that has too many labels."""
    counts = ("num_hidden_layers", "num_attention_heads")
    n_layers, n_heads = (getattr(config, count, None) for count in counts)
    if not isinstance(n_layers, int) or not isinstance(n_heads, int):
        raise HeadlightError(
            "The config.json of {name} has no num_hidden_layers and num_attention_heads of one "
            "text model, so Headlight cannot open it.",
            name=name,
        )
    _at_most(name, "num_hidden_layers * num_attention_heads", n_layers * n_heads, MOST_HEADS)
    _at_most(name, "num_labels", config.num_labels, MOST_LABELS)


def check_weights(
    name: str, folder: Path, config: PretrainedConfig, auto_class: Any, place: Placement
) -> None:
    """Compare the number of weights that a configuration requires with the weights in the files."""
    try:
        n_held = sum(map(held, _files(folder)))
        required = _required(config, auto_class)
    except Exception as error:  # safetensors, torch and transformers raise many types
        raise unreadable(name) from error
    check_memory(name, n_held, place)
    # The factor allows a missing pooler. Other missing weights are reported after loading.
    if required > 2 * n_held:
        raise unreadable(name)


def held(file: Path) -> int:
    """Count the weights of a file. safetensors checks its header against its size.

    Raises ValueError if its header is too large, or it is a pipe; safetensors raises other types.
    """
    if not file.is_file():
        raise ValueError(file.name)
    with file.open("rb") as start:
        if int.from_bytes(start.read(8), "little") > MOST_HEADER:
            raise ValueError(file.name)
    with safe_open(file, framework="pt") as weights:
        shapes = (weights.get_slice(key).get_shape() for key in weights.keys())  # noqa: SIM118
        return sum(torch.Size(shape).numel() for shape in shapes)


def check_memory(name: str, n_weights: int, place: Placement) -> None:
    """Refuse a model that exceeds the limit of its place, or else the free memory."""
    needed = n_weights * place.torch_dtype.itemsize
    limits = [free_memory() if place.max_bytes is None else place.max_bytes, place.free_memory]
    most = min(limit for limit in limits if limit is not None)
    if needed > most:
        raise HeadlightError(
            "{name} has {n_weights:,} weights, which need {needed:.1f} GB of memory in {dtype}. "
            "There are {most:.1f} GB for a model. Choose a smaller model or dtype, or have more "
            "memory freed or allowed (--max-model-memory).",
            name=name,
            n_weights=n_weights,
            dtype=place.dtype,
            needed=needed / 1e9,
            most=most / 1e9,
        )


def required_weights(name: str, config: PretrainedConfig, auto_class: Any) -> int:
    """Count the weights that a configuration requires, without allocating them."""
    try:
        return _required(config, auto_class)
    except Exception as error:  # transformers and torch raise many types
        raise HeadlightError("The config.json of {name} cannot be read.", name=name) from error


def unreadable(name: str) -> HeadlightError:
    """Make the error for weights that are broken, or another model's."""
    return HeadlightError(
        "Headlight cannot read the weights of {name}. The file is damaged, or does not fit its "
        "config.json. Fetch it again.",
        name=name,
    )


def _at_most(name: str, setting: str, number: Any, most: int) -> None:
    if isinstance(number, (int, float)) and number > most:
        raise HeadlightError(
            "The config.json of {name} sets {setting} = {number:,}. Headlight shows up to "
            "{most:,}.",
            name=name,
            setting=setting,
            number=number,
            most=most,
        )


def _files(folder: Path) -> list[Path]:
    whole = folder / "model.safetensors"
    return [whole] if whole.is_file() else sorted(folder.glob("*.safetensors"))


def _required(config: PretrainedConfig, auto_class: Any) -> int:
    """Count the weights of a model on the meta device, which allocates no memory."""
    with torch.device("meta"):
        module = auto_class.from_config(
            deepcopy(config), attn_implementation="eager", dtype=torch.float32
        )
    return sum(parameter.numel() for parameter in module.parameters())
