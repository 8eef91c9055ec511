"""Parts of models by type, as transformers names them.

A forward pass finds the attention of any model (:mod:`attention_layers`). The names here add the
residual stream, the masked-language head and the position table.
"""

from dataclasses import dataclass
from typing import cast

from torch import Tensor, nn
from torch.nn import functional
from transformers import PretrainedConfig

from model.capture.language_head import LanguageHead, Transform
from model.capture.residual_stream import LayerSite
from model.capture.sites import to_cpu
from model.catalogue.names import Kind

UNLIMITED = 2**20
"""Tokens of models that state no limit. The size of a capture limits them."""


@dataclass(frozen=True)
class LayerParts:
    """Paths within a layer of the modules that add to the residual stream.

    Attributes:
        attention: W^O.
        feed_forward: The second linear map of the feed-forward part.
        norms: The modules that normalise the two sums of a post-norm layer; None for pre-norm.
    """

    attention: str
    feed_forward: str
    norms: tuple[str, str] | None = None


@dataclass(frozen=True)
class HeadParts:
    """Paths within a model of the modules of its language head.

    Attributes:
        table: The linear map to logits.
        final_norm: Normalises the last sum of a pre-norm model; "" for post-norm.
        transform: Dense map, activation ("": GELU) and norm of a masked-language head; empty if the
            table reads the states directly.
    """

    table: str
    final_norm: str = ""
    transform: tuple[str, ...] = ()

    def of(self, module: nn.Module) -> LanguageHead:
        """Collect the language head of a model."""
        table = cast(nn.Linear, module.get_submodule(self.table))
        transform = None
        if self.transform:
            dense, activation, norm = self.transform
            transform = Transform(
                cast(nn.Linear, module.get_submodule(dense)),
                module.get_submodule(activation) if activation else functional.gelu,
                cast(nn.LayerNorm, module.get_submodule(norm)),
            )
        return LanguageHead(
            table=table.weight.detach(),
            bias=None if table.bias is None else table.bias.detach(),
            final_norm=module.get_submodule(self.final_norm) if self.final_norm else None,
            transform=transform,
        )


@dataclass(frozen=True)
class Family:
    """Named parts of the models of a type.

    Attributes:
        kind: What the models do; None: their config.json states it.
        parts: Parts of a layer; None if unknown.
        head: The masked-language head of an encoder; None if unknown.
        positions: Path of the learned positions; None if there are none, or they are unknown.
        segments: Whether the models take the sentence of each token, if they have a table for it.
    """

    kind: Kind | None = None
    parts: LayerParts | None = None
    head: HeadParts | None = None
    positions: str | None = None
    segments: bool = True

    def layers(self, base: nn.Module) -> tuple[LayerSite, ...]:
        """List the layers of a model without its head, shared modules once; () if unknown."""
        if self.parts is None:
            return ()
        found = []
        for module in base.modules():
            try:
                attention = module.get_submodule(self.parts.attention)
                feed_forward = module.get_submodule(self.parts.feed_forward)
            except AttributeError:  # not a layer
                continue
            norms = None
            if self.parts.norms is not None:
                first, second = map(module.get_submodule, self.parts.norms)
                norms = (first, second)
            found.append(LayerSite(module, attention, feed_forward, norms))
        return tuple(found)

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

BERT_LAYER = LayerParts(
    "attention.output.dense",
    "output.dense",
    ("attention.output.LayerNorm", "output.LayerNorm"),
)
LLAMA = Family("causal", LayerParts("self_attn.o_proj", "mlp.down_proj"))


def _in(path: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{path}.{name}" for name in names)


FAMILIES = {
    "bert": Family(
        "encoder",
        BERT_LAYER,
        HeadParts(
            "cls.predictions.decoder",
            "",
            _in("cls.predictions.transform", "dense", "transform_act_fn", "LayerNorm"),
        ),
        LEARNED,
    ),
    "roberta": Family(
        "encoder",
        BERT_LAYER,
        HeadParts("lm_head.decoder", "", ("lm_head.dense", "", "lm_head.layer_norm")),
        LEARNED,
        segments=False,
    ),
    "electra": Family(
        "encoder",
        BERT_LAYER,
        HeadParts(
            "generator_lm_head",
            "",
            _in("generator_predictions", "dense", "activation", "LayerNorm"),
        ),
        LEARNED,
    ),
    "albert": Family(
        "encoder",
        LayerParts(
            "attention.dense", "ffn_output", ("attention.LayerNorm", "full_layer_layer_norm")
        ),
        HeadParts(
            "predictions.decoder", "", _in("predictions", "dense", "activation", "LayerNorm")
        ),
        LEARNED,
    ),
    "distilbert": Family(
        "encoder",
        LayerParts("attention.out_lin", "ffn.lin2", ("sa_layer_norm", "output_layer_norm")),
        HeadParts("vocab_projector", "", ("vocab_transform", "activation", "vocab_layer_norm")),
        LEARNED,
    ),
    "modernbert": Family(
        "encoder",
        LayerParts("attn.Wo", "mlp.Wo"),
        HeadParts("decoder", "model.final_norm", _in("head", "dense", "act", "norm")),
    ),
    "gpt2": Family("causal", LayerParts("attn.c_proj", "mlp.c_proj"), positions="wpe"),
    "llama": LLAMA,
    "mistral": LLAMA,
    "qwen2": LLAMA,
}
"""The types whose parts have names here."""


def family_of(config: PretrainedConfig) -> Family:
    """Return the family of a model; one without names if there is none."""
    return FAMILIES.get(config.model_type, Family())
