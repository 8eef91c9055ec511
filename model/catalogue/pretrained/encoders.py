"""Encoders, and decoders without a language head, as loaded models with their task heads."""

import inspect
from typing import Any

import torch
from torch import Tensor
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.capture.sites import to_cpu
from model.catalogue.loaded_model import Forward, LoadedModel
from model.catalogue.pretrained.attention_layers import (
    AttentionLayers,
    mixes_elsewhere,
    probed_stream,
)
from model.catalogue.pretrained.families import family_of, max_len
from model.catalogue.tasks import Task, TaskKind
from model.errors import HeadlightError

MASKED_LM = "ForMaskedLM"
SEQUENCE = "ForSequenceClassification"
TOKEN = "ForTokenClassification"
ANSWER = "ForQuestionAnswering"
NONE = ""
"""Task heads, by the end of their models' class names."""

AUTO_CLASSES = {
    MASKED_LM: AutoModelForMaskedLM,
    SEQUENCE: AutoModelForSequenceClassification,
    TOKEN: AutoModelForTokenClassification,
    ANSWER: AutoModelForQuestionAnswering,
    NONE: AutoModel,
}
"""Auto class for each head. No head comes last, because its empty name matches every class."""


def task_head(name: str, config: PretrainedConfig) -> str:
    """Find the head with which the weights were saved, a key of AUTO_CLASSES."""
    trained_as = config.architectures or [""]
    if not isinstance(trained_as, list):
        raise HeadlightError("The config.json of {name} cannot be read.", name=name)
    head = next(head for head in AUTO_CLASSES if str(trained_as[0]).endswith(head))
    if head == ANSWER and config.num_labels != 2:
        raise HeadlightError(
            "{name} should find the start and the end of an answer, but its config.json names "
            "{n_labels} labels.",
            name=name,
            n_labels=config.num_labels,
        )
    return head


def as_encoder(
    name: str,
    module: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    head: str,
    layers: AttentionLayers,
) -> LoadedModel:
    """Install hooks on an encoder of transformers with its head, a key of AUTO_CLASSES."""
    encoder, config = module.base_model, module.config.get_text_config()
    family = family_of(config)
    stream = probed_stream(module, layers)
    return LoadedModel(
        name=name,
        module=module,
        encode=_forward(encoder, "last_hidden_state"),
        masked_lm=_forward(module, "logits") if head == MASKED_LM else None,
        mask_token=tokenizer.mask_token or "[MASK]",
        language_head=stream.head if head == MASKED_LM else None,
        task=_task(module, head),
        tokenizer=tokenizer.backend_tokenizer,
        n_layers=config.num_hidden_layers,
        n_heads=config.num_attention_heads,
        d_model=config.hidden_size,
        max_len=max_len(encoder, config),
        outputs=layers.outputs,
        attention_layers=layers.numbers,
        layers=stream.layers,
        mixes_elsewhere=mixes_elsewhere(encoder, layers, stream),
        stack=layers.sites[0].stack,
        position_table=family.position_table(encoder, config),
    ).with_hooks(layers.sites)


def _forward(module: Any, *outputs: str) -> Forward:
    """Make a function that runs a model for one of its outputs, or stacks several, on the CPU."""
    with_segments = (
        family_of(module.config).segments
        and getattr(module.config, "type_vocab_size", 0) > 1
        and "token_type_ids" in inspect.signature(module.forward).parameters
    )

    def forward(token_ids: Tensor, segment_ids: Tensor) -> Tensor:
        device = module.device
        segments = {"token_type_ids": segment_ids.to(device)} if with_segments else {}
        result = module(input_ids=token_ids.to(device), return_dict=True, **segments)
        values = [to_cpu(getattr(result, output)) for output in outputs]
        # Several outputs: n x (1, T) -> (1, T, n)
        return values[0] if len(values) == 1 else torch.stack(values, dim=-1)

    return forward


def _task(module: PreTrainedModel, head: str) -> Task | None:
    """Describe the task of a head; None without a head and for the masked-language head."""
    config = module.config
    if head == ANSWER:
        return Task("answer", ("start", "end"), _forward(module, "start_logits", "end_logits"))
    if head not in (SEQUENCE, TOKEN):
        return None
    labels = tuple(str(label) for _, label in sorted((config.id2label or {}).items()))
    kind = "token" if head == TOKEN else _kind(config)
    logits = _forward(module, "logits")
    if head == TOKEN or config.pad_token_id is not None:
        return Task(kind, labels, logits)

    # Without a padding token, transformers finds the last token of one text only.
    def one_by_one(token_ids: Tensor, segment_ids: Tensor) -> Tensor:
        pairs = zip(token_ids.split(1), segment_ids.split(1), strict=True)
        return torch.cat([logits(*each) for each in pairs])  # B x (1, C) -> (B, C)

    return Task(kind, labels, one_by_one)


def _kind(config: PretrainedConfig) -> TaskKind:
    """Kind of a sequence classifier, as transformers trains it: a single label is a regression."""
    if config.problem_type == "multi_label_classification":
        return "multi"
    if config.problem_type == "regression" or config.num_labels == 1:
        return "regression"
    return "sequence"
