"""MiniLM fine-tuned to distinguish praise from complaint: its weights plus low-rank updates.

The updates (LoRA, Hu et al. 2021) are ours; :mod:`training.sentiment.train` trains them.
"""

from pathlib import Path

import torch
from safetensors.torch import load
from torch import Tensor, nn
from torch.nn.utils import parametrize
from transformers import AutoModel, BertForSequenceClassification, PreTrainedTokenizerFast

from model.catalogue import encoder_files
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained import checkpoint, hub
from model.catalogue.pretrained.attention_layers import find_layers
from model.catalogue.pretrained.encoders import SEQUENCE, as_encoder

FILE = encoder_files.FOLDER / "sentiment.safetensors"
SHA256 = "0e3a2b87a38413d5ef231243235d50ad8dab98a4933c998d7f42e68c5dfa4d15"

LABELS = ("negative", "positive")
"""The labels in the order of the logits."""

RANK = 4
"""Rank of each update: of a matrix (D_out, D_in), only RANK * (D_out + D_in) numbers are ours."""


class LowRankUpdate(nn.Module):
    """The sum W + B A of Hu et al. 2021, eq. 3, for a frozen W, (D_out, D_in).

    Attributes:
        down: A, (RANK, D_in).
        up: B, (D_out, RANK); zero before the training, so that the sum is W.
    """

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        n_out, n_in = weight.shape
        self.down = nn.Parameter(torch.randn(RANK, n_in) / n_in**0.5)
        self.up = nn.Parameter(torch.zeros(n_out, RANK))

    def forward(self, weight: Tensor) -> Tensor:
        """Add the update: (D_out, D_in) -> (D_out, D_in)."""
        return weight + self.up @ self.down


def with_updates() -> tuple[BertForSequenceClassification, PreTrainedTokenizerFast]:
    """Return MiniLM with a random classifier and updates without effect, its only gradients."""
    folder = hub.embedded_folder()
    config = checkpoint.load_config("minilm", folder, checkpoint.read_config("minilm", folder))
    config.id2label = dict(enumerate(LABELS))
    config.label2id = {label: number for number, label in enumerate(LABELS)}
    base = checkpoint.load_module("minilm", folder, config, AutoModel).requires_grad_(False)
    with torch.device("meta"):
        module = BertForSequenceClassification(config)  # type: ignore[arg-type]
    module.bert = base  # type: ignore[assignment]
    for linear in [each for each in base.modules() if isinstance(each, nn.Linear)]:
        parametrize.register_parametrization(linear, "weight", LowRankUpdate(linear.weight))
    module.classifier = nn.Linear(config.hidden_size, len(LABELS))
    nn.init.normal_(module.classifier.weight, std=config.initializer_range)
    nn.init.zeros_(module.classifier.bias)
    return module, checkpoint.load_tokenizer("minilm", folder, base)


def trained_weights(module: nn.Module) -> dict[str, nn.Parameter]:
    """Return the weights that the training changes: the updates and the classifier."""
    return {name: each for name, each in module.named_parameters() if each.requires_grad}


def sentiment(name: str, file: Path = FILE, place: Placement = CPU) -> LoadedModel:
    """Load the fine-tuned model."""
    with torch.random.fork_rng(devices=[]):  # does not change the caller's random state
        module, tokenizer = with_updates()
    module.load_state_dict(load(encoder_files.read_verified(file, SHA256)), strict=False)
    for linear in [each for each in module.modules() if parametrize.is_parametrized(each)]:
        parametrize.remove_parametrizations(linear, "weight")  # keeps the sum
    nn.Module.to(module, place.device, place.torch_dtype)
    nn.Module.eval(module.requires_grad_(False))
    layers = find_layers(name, module, "encoder", place)
    return as_encoder(name, module, tokenizer, SEQUENCE, layers)
