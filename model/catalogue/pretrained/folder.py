"""Pretrained encoders: the one file that knows transformers and the model hub.

Only safetensors are read, remote code is never run, and attention is asked for by name ("eager"):
the default implementation of transformers forms no weights.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.models.modernbert.modeling_modernbert import apply_rotary_pos_emb
from transformers.utils import logging as transformers_logging

from model.capture.hooks import AttentionSite, Heads, split_heads
from model.catalogue.loaded import LoadedModel
from model.catalogue.tasks import Kind, Task
from model.errors import HeadlightError

transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call] # the page has one

PROJECTIONS = {
    "bert": ("query", "key", "value"),
    "roberta": ("query", "key", "value"),
    "electra": ("query", "key", "value"),
    "albert": ("query", "key", "value"),
    "distilbert": ("q_lin", "k_lin", "v_lin"),
    "modernbert": ("Wqkv",),
}
"""Families that can be looked at, and what each calls its maps to q, k and v.

A module with these children is an attention module; its forward returns (output, weights).
"""

OUTPUTS = {
    "bert": "attention.output.dense",
    "roberta": "attention.output.dense",
    "electra": "attention.output.dense",
    "albert": "attention.dense",
    "distilbert": "attention.out_lin",
    "modernbert": "attn.Wo",
}
"""What each family calls W^O, as its modules' paths end."""

HEADS = {
    "ForMaskedLM": AutoModelForMaskedLM,
    "ForSequenceClassification": AutoModelForSequenceClassification,
    "ForTokenClassification": AutoModelForTokenClassification,
    "ForQuestionAnswering": AutoModelForQuestionAnswering,
}
"""Heads that are read, by how the names of their models' classes end."""

HAS_SEGMENTS = {"bert", "electra", "albert"}


def load_folder(name: str, folder: Path) -> LoadedModel:
    """Load an encoder from a folder that ``save_pretrained`` wrote.

    Raises:
        HeadlightError: If the folder is no model, the family is not an encoder that Headlight
            reads, the weights are pickled, broken or incomplete, or there is no tokenizer.
    """
    config = _load_config(name, folder)
    head = _head(name, config)
    module = _load_module(name, folder, HEADS.get(head, AutoModel))
    tokenizer = _load_tokenizer(name, folder)
    encoder = module.base_model
    backend = tokenizer.backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    return LoadedModel.hooked(
        _sites(encoder, config),
        name=name,
        module=module,
        encode=_forward(encoder, config, "last_hidden_state"),
        masked_lm=_forward(module, config, "logits") if head == "ForMaskedLM" else None,
        mask_token=tokenizer.mask_token or "[MASK]",
        task=_task(module, config, head),
        tokenizer=backend,
        n_layers=config.num_hidden_layers,
        n_heads=config.num_attention_heads,
        d_model=config.hidden_size,
        max_len=_max_len(config),
        outputs=_outputs(encoder, config),
        position_table=_position_table(encoder, config),
    )


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
    if model_type not in PROJECTIONS:
        raise HeadlightError(
            "{name} is a model of type {model_type}. This page looks at encoders: {families}.",
            name=name,
            model_type=model_type,
            families=", ".join(PROJECTIONS),
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
            families=", ".join(PROJECTIONS),
        )
    if getattr(config, "inner_group_num", 1) != 1:  # no published ALBERT has another number
        raise HeadlightError(
            "{name} runs {n_inner} attentions in each of its layers (inner_group_num in its "
            "config.json). This page looks at models with one.",
            name=name,
            n_inner=config.inner_group_num,
        )
    return config


def _head(name: str, config: PretrainedConfig) -> str:
    """Which of HEADS the weights were saved with; "" for none."""
    trained_as = config.architectures or [""]
    if not isinstance(trained_as, list):
        raise HeadlightError("The config.json of {name} cannot be read.", name=name)
    head = next((head for head in HEADS if str(trained_as[0]).endswith(head)), "")
    if head == "ForQuestionAnswering" and config.num_labels != 2:
        raise HeadlightError(
            "{name} is meant to find answers, which have a start and an end, but its config.json "
            "names {n_labels} labels.",
            name=name,
            n_labels=config.num_labels,
        )
    return head


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


def _max_len(config: PretrainedConfig) -> int:
    if config.model_type == "roberta":  # its positions start after the padding id
        return config.max_position_embeddings - config.pad_token_id - 1
    return config.max_position_embeddings


def _position_table(encoder: nn.Module, config: PretrainedConfig) -> Tensor | None:
    """The learned positions, row 0 for the first token; ModernBERT rotates instead."""
    table = getattr(encoder.embeddings, "position_embeddings", None)
    if table is None:
        return None
    rows = table.weight.detach()
    return rows[config.pad_token_id + 1 :] if config.model_type == "roberta" else rows


def _task(module: nn.Module, config: PretrainedConfig, head: str) -> Task | None:
    """What the head decides; None for an encoder alone and for the masked-language head."""
    if head == "ForQuestionAnswering":
        logits = _forward(module, config, "start_logits", "end_logits")
        return Task("answer", ("start", "end"), logits)
    labels = tuple(str(label) for _, label in sorted((config.id2label or {}).items()))
    logits = _forward(module, config, "logits")
    if head == "ForTokenClassification":
        return Task("token", labels, logits)
    if head == "ForSequenceClassification":
        return Task(_kind(config), labels, logits)
    return None


def _kind(config: PretrainedConfig) -> Kind:
    """Read as transformers does in training: one label alone is a number to be estimated."""
    if config.problem_type == "multi_label_classification":
        return "multi"
    if config.problem_type == "regression" or config.num_labels == 1:
        return "regression"
    return "sequence"


def _forward(
    module: nn.Module, config: PretrainedConfig, *outputs: str
) -> Callable[[Tensor, Tensor], Tensor]:
    """Run the module and take one of its outputs, or several beside one another on a last axis."""
    with_segments = config.model_type in HAS_SEGMENTS and config.type_vocab_size > 1

    def forward(token_ids: Tensor, segment_ids: Tensor) -> Tensor:
        segments = {"token_type_ids": segment_ids} if with_segments else {}
        result = module(input_ids=token_ids, return_dict=True, **segments)
        taken = [getattr(result, output) for output in outputs]
        return taken[0] if len(taken) == 1 else torch.stack(taken, dim=-1)

    return forward


def _sites(encoder: nn.Module, config: PretrainedConfig) -> list[AttentionSite]:
    names = PROJECTIONS[config.model_type]
    n_heads = config.num_attention_heads
    split = (
        partial(_split_rotated_heads, n_heads)
        if config.model_type == "modernbert"
        else partial(split_heads, n_heads)
    )
    return [
        AttentionSite(module, tuple(getattr(module, name) for name in names), split)
        for module in encoder.modules()
        if all(hasattr(module, name) for name in names)
    ]


def _outputs(encoder: nn.Module, config: PretrainedConfig) -> tuple[nn.Linear, ...]:
    """W^O of each layer. ALBERT has fewer than layers: equal runs of them share one."""
    ending = f".{OUTPUTS[config.model_type]}"
    own = [
        module
        for path, module in encoder.named_modules()
        if path.endswith(ending) and isinstance(module, nn.Linear)
    ]
    n_layers = config.num_hidden_layers
    # In floating point, as AlbertTransformer divides: whole numbers would round otherwise.
    return tuple(own[int(layer / (n_layers / len(own)))] for layer in range(n_layers))


def _split_rotated_heads(n_heads: int, projected: list[Tensor], kwargs: dict[str, Any]) -> Heads:
    """ModernBERT: one fused projection; q and k are rotated by their positions afterwards."""
    q, k, v = projected[0].unflatten(-1, (3, n_heads, -1)).unbind(-3)  # 3 x (1, T, H, K)
    cos, sin = kwargs["position_embeddings"]
    q, k = apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=2)
    return q[0], k[0], v[0]
