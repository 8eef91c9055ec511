"""Parts of models by type, as transformers names them.

A forward pass finds the attention of any model (:mod:`attention_layers`), its residual stream and
its language head (:mod:`model.capture.stream_search`). The names here add the position table.
"""

from dataclasses import dataclass

from torch import Tensor, nn
from transformers import PretrainedConfig

from model.capture.sites import to_cpu
from model.catalogue.names import ModelKind

UNLIMITED = 2**20
"""Tokens of models that state no limit. The size of a capture limits them."""


@dataclass(frozen=True)
class Family:
    """Named parts of the models of a type.

    Attributes:
        kind: What the models do; None: their config.json states it.
        positions: Path of the learned positions; None if there are none, or they are unknown.
        segments: Whether the models take the sentence of each token, if they have a table for it.
    """

    kind: ModelKind | None = None
    positions: str | None = None
    segments: bool = True

    def position_table(self, base: nn.Module, config: PretrainedConfig) -> Tensor | None:
        """Return the learned positions, (max_len, D), row 0 for the first token; None without."""
        if self.positions is None:
            return None
        table = base.get_parameter(f"{self.positions}.weight").detach()
        return to_cpu(table[first_row(base, config) :])


def first_row(module: nn.Module, config: PretrainedConfig) -> int:
    """Row of the first token's position: RoBERTa's relatives begin after the padding's row."""
    rows = [
        part.padding_idx + 1
        for path, part in module.named_modules()
        if isinstance(part, nn.Embedding)
        and part.padding_idx is not None
        and path.endswith("position_embeddings")
        and part.num_embeddings == config.max_position_embeddings
    ]
    return max(rows, default=0)


def max_len(module: nn.Module, config: PretrainedConfig) -> int:
    """Return the most tokens that a model reads; UNLIMITED if it states no limit.

    Beyond a length, LongRoPE rotates by other frequencies (Ding et al. 2024). transformers writes
    them into the module, which all threads share, and a key/value cache would keep keys of the old
    rotation. The limit is this length.
    """
    stated = getattr(config, "max_position_embeddings", None)
    if not isinstance(stated, int) or stated <= 0:  # XLNet's is -1
        return int(getattr(config, "max_seq_len", UNLIMITED))  # MPT's name of the limit
    rope = getattr(config, "rope_parameters", None) or {}
    by_layer = [rope] if "rope_type" in rope else rope.values()
    original = (
        int(layer["original_max_position_embeddings"])
        for layer in by_layer
        if layer and layer["rope_type"] == "longrope"
    )
    return min([stated - first_row(module, config), *original])


LEARNED = "embeddings.position_embeddings"

FAMILIES = {
    "bert": Family("encoder", LEARNED),
    "roberta": Family("encoder", LEARNED, segments=False),
    "electra": Family("encoder", LEARNED),
    "albert": Family("encoder", LEARNED),
    "distilbert": Family("encoder", LEARNED),
    "modernbert": Family("encoder"),
    "gpt2": Family("causal", "wpe"),
    "llama": Family("causal"),
    "mistral": Family("causal"),
    "qwen2": Family("causal"),
}
"""The types whose parts have names here."""


def family_of(config: PretrainedConfig) -> Family:
    """Return the family of a model; one without names if there is none."""
    return FAMILIES.get(config.model_type, Family())
