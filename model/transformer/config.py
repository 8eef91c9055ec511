"""Sizes and choices of the from-scratch encoder and decoder, and what they cost in parameters."""

from dataclasses import dataclass, fields
from typing import Literal, get_args, get_origin

from model.errors import HeadlightError


@dataclass(frozen=True)
class StackConfig:
    """What a stack of layers has, be it an encoder or a decoder; the defaults are the paper's.

    Raises:
        HeadlightError: If a size is not positive, d_model is not divisible by n_heads, d_model is
            odd with sinusoidal positions, or a choice is unknown.
    """

    vocab_size: int
    d_model: int = 512
    n_heads: int = 8
    d_ff: int = 2048
    n_layers: int = 6
    max_len: int = 512
    norm: Literal["post", "pre"] = "post"
    activation: Literal["relu", "gelu"] = "relu"
    positions: Literal["sinusoidal", "learned", "none"] = "sinusoidal"
    embedding_norm: bool = False  # BERT normalises the summed embeddings; the paper does not
    # Width of the token table, then widened to d_model (Lan et al. 2020, "ALBERT", section 3.1): a
    # small model would otherwise be nothing but vocabulary. None: d_model, without a widening.
    d_embedding: int | None = None
    dropout: float = 0.1
    norm_eps: float = 1e-5  # BERT: 1e-12

    def __post_init__(self) -> None:
        for name in ("vocab_size", "d_model", "n_heads", "d_ff", "n_layers", "max_len"):
            if getattr(self, name) < 1:
                raise HeadlightError(
                    "{name} must be at least 1, not {value}.", name=name, value=getattr(self, name)
                )
        if self.d_embedding is not None and self.d_embedding < 1:
            raise HeadlightError(
                "{name} must be at least 1, not {value}.",
                name="d_embedding",
                value=self.d_embedding,
            )
        if self.d_model % self.n_heads:
            raise HeadlightError(
                "d_model = {d_model} does not split into {n_heads} heads of equal size.",
                d_model=self.d_model,
                n_heads=self.n_heads,
            )
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise HeadlightError(
                "Sinusoids come in pairs: d_model must be even and at least 2, not {d_model}.",
                d_model=self.d_model,
            )
        for field in fields(self):
            choices = get_args(field.type) if get_origin(field.type) is Literal else ()
            if choices and getattr(self, field.name) not in choices:
                raise HeadlightError(
                    "{name} must be one of {choices}, not {value}.",
                    name=field.name,
                    choices=", ".join(choices),
                    value=getattr(self, field.name),
                )

    @property
    def d_head(self) -> int:
        """Dimensions of one head: d_k = d_v = d_model / h (section 3.2.2)."""
        return self.d_model // self.n_heads


@dataclass(frozen=True)
class EncoderConfig(StackConfig):
    """The defaults are the paper's encoder: post-norm, ReLU, sinusoidal positions.

    BERT (Devlin et al. 2018) differs in ``activation="gelu"``, ``positions="learned"``,
    ``n_segments=2`` and ``embedding_norm=True``.

    Raises:
        HeadlightError: As :class:`StackConfig`.
    """

    n_segments: int = 0  # BERT tells sentence A from sentence B with 2; the paper has none


@dataclass(frozen=True)
class DecoderConfig(StackConfig):
    """The defaults are the paper's decoder, with an encoder to look at.

    GPT-2 (Radford et al. 2019) differs in ``norm="pre"``, ``activation="gelu"``,
    ``positions="learned"`` and ``cross_attention=False``.

    Raises:
        HeadlightError: As :class:`StackConfig`.
    """

    cross_attention: bool = True  # False: a language model that stands alone


def parameter_counts(config: StackConfig, *, pooler: bool = False) -> dict[str, int]:
    """Count the parameters of an encoder or a decoder, part by part, without building it.

    The way out of a decoder is its token table again (section 3.4), and costs nothing.

    Args:
        config: The sizes.
        pooler: Add BERT's pooler, the dense layer over [CLS] that its published size includes.
            Our encoder has none: nothing in this project reads it.

    Returns:
        Parameters by part, in the order of the forward pass; their sum is the model's size.
    """
    d_model, d_ff = config.d_model, config.d_ff
    norm = 2 * d_model  # gain and bias
    attention = 4 * (d_model * d_model + d_model)  # W^Q W^K W^V W^O
    crosses = isinstance(config, DecoderConfig) and config.cross_attention
    segments = config.n_segments if isinstance(config, EncoderConfig) else 0
    n_norms = config.n_layers * (3 if crosses else 2) + (config.norm == "pre")
    width = config.d_embedding or d_model
    parts = {
        "token embedding": config.vocab_size * width
        + (width * d_model if config.d_embedding else 0),
        "positions": config.max_len * d_model if config.positions == "learned" else 0,
        "segments": segments * d_model,
        "embedding norm": norm if config.embedding_norm else 0,
        "attention": config.n_layers * attention,
        "cross-attention": config.n_layers * attention if crosses else 0,
        "feed-forward": config.n_layers * (2 * d_model * d_ff + d_ff + d_model),
        "layer norms": n_norms * norm,
        "pooler": d_model * d_model + d_model if pooler else 0,
    }
    return {part: count for part, count in parts.items() if count}
