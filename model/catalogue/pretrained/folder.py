"""Loading of a pretrained encoder or decoder from a folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from transformers import (
    CONFIG_MAPPING,
    AutoModelForCausalLM,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.capture.sites import Stack
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import general
from model.catalogue.pretrained.checkpoint import (
    load_config,
    load_module,
    load_tokenizer,
    read_config,
)
from model.catalogue.pretrained.decoders import as_causal, check_language_head
from model.catalogue.pretrained.families import FAMILIES
from model.catalogue.pretrained.family import Family
from model.catalogue.pretrained.size_limits import check_heads
from model.catalogue.pretrained.task_heads import (
    AUTO_CLASSES,
    language_head,
    masked_lm,
    task,
    task_head,
)
from model.errors import HeadlightError

ENCODER_OR_DECODER: tuple[Stack, ...] = ("encoder", "decoder")

OTHER_INPUTS = ("vision_config", "audio_config", "speech_config")
"""Settings of the parts of a model that read no text."""


def load_folder(
    name: str, folder: Path, of: tuple[Stack, ...] = ("encoder",), place: Placement = CPU
) -> LoadedModel:
    """Load a model from a folder that ``save_pretrained`` wrote.

    Args:
        name: Name of the model.
        folder: Its folder.
        of: The allowed stacks. A decoder is loaded as a LoadedCausal.
        place: Where the model runs.

    Raises:
        HeadlightError: If the folder contains no model, its family is not supported, it is too
            large, the weights are pickled, broken or incomplete, or no tokenizer fits them.
    """
    plan = read_plan(name, folder, of)
    family, config = plan.family, plan.config
    if family is None:
        family, module = general.load_general(
            name, folder, config, plan.stack, plan.auto_class, place
        )
    else:
        module = load_module(name, folder, config, plan.auto_class, place)
    tokenizer = load_tokenizer(name, folder, module)
    if plan.stack == "decoder":
        return as_causal(name, family, module, config, tokenizer)
    return as_encoder(name, family, module, tokenizer, plan.head)


@dataclass(frozen=True)
class Plan:
    """What a config.json says about the loading of a model.

    Attributes:
        config: Its configuration.
        family: Its family; None if none describes it.
        stack: Its stack.
        head: Its head, see :func:`task_head`; "" for a decoder.
        auto_class: Auto class of transformers.
    """

    config: PretrainedConfig
    family: Family | None
    stack: Stack
    head: str
    auto_class: Any


def read_plan(name: str, folder: Path, of: tuple[Stack, ...]) -> Plan:
    """Read and check the config.json of an encoder or a decoder.

    Args:
        name: Name of the model.
        folder: A folder with its config.json.
        of: The allowed stacks.

    Raises:
        HeadlightError: If its type or its size is not supported.
    """
    declared = read_config(name, folder)
    _check_type(name, declared, of)
    config = load_config(name, folder, declared)
    family = FAMILIES.get(declared["model_type"])
    stack = general.declared_stack(declared) if family is None else family.stack
    if stack == "encoder" and getattr(config, "is_decoder", False):
        raise HeadlightError(
            "{name} was trained as a decoder (is_decoder in its config.json). This page shows "
            "encoders.",
            name=name,
        )
    if family is None:
        general.check_type(name, config)
    else:
        family.refuse(name, config)
    check_heads(name, config)
    if stack == "decoder":
        check_language_head(name, config)
        return Plan(config, family, stack, "", AutoModelForCausalLM)
    head = task_head(name, config)
    return Plan(config, family, stack, head, AUTO_CLASSES[head])


def as_encoder(
    name: str,
    family: Family,
    module: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    head: str,
) -> LoadedModel:
    """Install hooks on an encoder of transformers.

    Args:
        name: Name of the model.
        family: Its family.
        module: The network with its head.
        tokenizer: Its tokenizer.
        head: Its head, see :func:`task_head`.
    """
    encoder, config = module.base_model, module.config
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
    ).with_hooks(family.sites(encoder, config))


def _check_type(name: str, declared: Mapping[str, Any], of: tuple[Stack, ...]) -> None:
    model_type = declared["model_type"]
    if general.declares_encoder_decoder(declared):
        raise HeadlightError(
            "{name} reads one text and writes another. Open it on the Decoder page.", name=name
        )
    if model_type not in FAMILIES and model_type not in CONFIG_MAPPING:
        raise _unknown_type(name, model_type)
    if model_type not in FAMILIES and any(declared.get(part) for part in OTHER_INPUTS):
        raise HeadlightError(
            "{name} is a model of type {model_type}, which also reads images or sound. Headlight "
            "opens models of text alone.",
            name=name,
            model_type=model_type,
        )
    known = FAMILIES.get(model_type)
    stack = known.stack if known else general.declared_stack(declared)
    if stack in of:
        return
    if stack == "decoder":
        raise HeadlightError("{name} is a decoder. This page shows encoders.", name=name)
    raise HeadlightError(
        "{name} is an encoder, so it cannot continue a text. Choose a decoder.", name=name
    )


def _unknown_type(name: str, model_type: str) -> HeadlightError:
    """Make the error for a misspelt type, or for one of another version of transformers."""
    near = get_close_matches(model_type, [*FAMILIES, *CONFIG_MAPPING])
    if near:
        return HeadlightError(
            "{name} is a model of type {model_type}, which transformers does not know. Known types "
            "with a similar name are: {near}. Correct model_type in its config.json.",
            name=name,
            model_type=model_type,
            near=", ".join(near),
        )
    return HeadlightError(
        "{name} is a model of type {model_type}, which transformers does not know. "
        "Correct model_type in its config.json, or choose another model.",
        name=name,
        model_type=model_type,
    )
