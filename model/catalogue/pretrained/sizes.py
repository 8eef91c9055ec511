"""What a folder asks for, before any of it is made: a few bytes of configuration name any size.

The configuration is believed as far as the weights bear it out, and of those only the headers are
read.
"""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from transformers import PretrainedConfig

from model.errors import HeadlightError

MOST_LAYERS = 100
MOST_HEADS = 1_024
"""Of all layers together: their weights on 512 tokens take 1 GB. XLM-R large has 384."""

MOST_LABELS = 10_000
MOST_PARAMETERS = 1_000_000_000
"""4 GB in memory. XLM-R large, the largest encoder in common use here, has 560 million."""

MOST_CONFIG = 1024**2
"""Bytes of a config.json; a model's with a thousand named labels has 60 kB."""

MOST_HEADER = 4 * 1024**2
"""Bytes of the header of a file of weights; BERT-large's has 40 kB."""

COUNTS = {
    "num_hidden_layers": MOST_LAYERS,
    "n_layers": MOST_LAYERS,
    "n_layer": MOST_LAYERS,
    "num_layers": MOST_LAYERS,
    "num_decoder_layers": MOST_LAYERS,
    "encoder_layers": MOST_LAYERS,
    "decoder_layers": MOST_LAYERS,
    "num_hidden_groups": MOST_LAYERS,
    "inner_group_num": MOST_LAYERS,
    "num_labels": MOST_LABELS,
}
"""Of which transformers makes lists and modules as soon as it reads the configuration."""


def check_counts(name: str, declared: Mapping[str, Any]) -> None:
    """Refuse a config.json, as it was read by hand, that names too many layers or labels.

    Raises:
        HeadlightError: If it does; it is called by the name.
    """
    for setting, most in COUNTS.items():
        _at_most(name, setting, declared.get(setting), most)


def check_heads(
    name: str,
    config: PretrainedConfig,
    counts: tuple[str, str] = ("num_hidden_layers", "num_attention_heads"),
) -> None:
    """Refuse a model whose captures could not be kept, or whose labels could not be drawn.

    Args:
        name: What it is called.
        config: Its own.
        counts: What that calls the layers of a stack, and the heads of a layer.

    Raises:
        HeadlightError: If it has too many heads or labels, or does not say how many.
    """
    n_layers, n_heads = (getattr(config, count) for count in counts)
    if not isinstance(n_layers, int) or not isinstance(n_heads, int):
        raise HeadlightError("The config.json of {name} cannot be read.", name=name)
    _at_most(name, " * ".join(counts), n_layers * n_heads, MOST_HEADS)
    _at_most(name, "num_labels", config.num_labels, MOST_LABELS)


def check_weights(name: str, folder: Path, config: PretrainedConfig, auto_class: Any) -> None:
    """Compare what a configuration asks for with what the files hold.

    Raises:
        HeadlightError: If they cannot be compared, hold much less, or are too many to be loaded.
    """
    try:
        held = sum(map(_held, _files(folder)))
        asked = _asked(config, auto_class)
    except Exception as error:  # of safetensors, of torch, or of a check inside transformers
        raise unreadable(name) from error
    if held > MOST_PARAMETERS:
        raise HeadlightError(
            "The weights of {name} are {held:,} numbers, and Headlight loads up to {most:,}.",
            name=name,
            held=held,
            most=MOST_PARAMETERS,
        )
    # A pooler that was not kept is no more than that; what else is missing is named after loading.
    if asked > 2 * held:
        raise unreadable(name)


def unreadable(name: str) -> HeadlightError:
    """What is said of weights that are broken, or another model's."""
    return HeadlightError(
        "The weights of {name} cannot be read: the file is broken or of another size than its "
        "config.json says. Fetch it again.",
        name=name,
    )


def _at_most(name: str, setting: str, number: Any, most: int) -> None:
    if isinstance(number, (int, float)) and number > most:
        raise HeadlightError(
            "The config.json of {name} says {setting} = {number:,}, and Headlight shows up to "
            "{most:,}.",
            name=name,
            setting=setting,
            number=number,
            most=most,
        )


def _files(folder: Path) -> list[Path]:
    whole = folder / "model.safetensors"
    return [whole] if whole.is_file() else sorted(folder.glob("*.safetensors"))


def _held(file: Path) -> int:
    """How many numbers a file of weights holds. The library compares its header with its size."""
    with file.open("rb") as start:
        if int.from_bytes(start.read(8), "little") > MOST_HEADER:
            raise ValueError(file.name)
    with safe_open(file, framework="pt") as weights:
        shapes = (weights.get_slice(key).get_shape() for key in weights.keys())  # noqa: SIM118
        return sum(torch.Size(shape).numel() for shape in shapes)


def _asked(config: PretrainedConfig, auto_class: Any) -> int:
    """How many numbers a model has, from its outline alone: on this device nothing is stored."""
    with torch.device("meta"):
        outline = auto_class.from_config(
            deepcopy(config), attn_implementation="eager", dtype=torch.float32
        )
    return sum(parameter.numel() for parameter in outline.parameters())
