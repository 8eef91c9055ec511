"""Sizes and options of the from-scratch encoder and decoder."""

from dataclasses import dataclass, fields
from typing import Literal, get_args, get_origin

from model.errors import HeadlightError, check_least, check_one_of
from model.transformer.positions import frequencies


@dataclass(frozen=True)
class StackConfig:
    """Configuration shared by encoder and decoder, with the defaults of Vaswani et al. 2017.

    Attributes:
        norm: ``"post"``: normalise each sum (the paper); ``"pre"``: each sublayer's input.
        d_embedding: Width of the token table, projected to d_model (Lan et al. 2020, "ALBERT",
            section 3.1). It keeps the vocabulary from dominating a small model. None: d_model,
            without a projection.
        head_width: Dimensions of one head; None: d_model / n_heads (section 3.2.2). T5 and Gemma
            have others.
        norm_eps: Epsilon of the LayerNorms; BERT's is 1e-12.

    Raises:
        HeadlightError: If a size is not positive, d_model is not divisible by n_heads and no
            head_width is given, d_model is odd with sinusoidal positions, or an option is unknown.
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
    embedding_norm: bool = False
    d_embedding: int | None = None
    head_width: int | None = None
    dropout: float = 0.1
    norm_eps: float = 1e-5

    def __post_init__(self) -> None:
        whole = ("vocab_size", "d_model", "n_heads", "d_ff", "n_layers", "max_len")
        for name in (*whole, "d_embedding", "head_width"):
            check_least(name, getattr(self, name))
        if self.head_width is None and self.d_model % self.n_heads:
            raise HeadlightError(
                "d_model = {d_model} does not split into {n_heads} equal heads.",
                d_model=self.d_model,
                n_heads=self.n_heads,
            )
        if self.positions == "sinusoidal":
            frequencies(self.d_model)  # refuses an odd number
        for field in fields(self):
            choices = get_args(field.type) if get_origin(field.type) is Literal else ()
            if choices:
                check_one_of(field.name, getattr(self, field.name), choices)

    @property
    def d_head(self) -> int:
        """Dimensions of one head, d_k = d_v (section 3.2.2)."""
        return self.head_width or self.d_model // self.n_heads


@dataclass(frozen=True)
class EncoderConfig(StackConfig):
    """Configuration of an encoder; the defaults are the paper's: post-norm, ReLU, sinusoids.

    BERT (Devlin et al. 2018) differs in ``activation="gelu"``, ``positions="learned"``,
    ``n_segments=2`` (rows of the segment table, for sentences A and B) and ``embedding_norm=True``.
    """

    n_segments: int = 0


@dataclass(frozen=True)
class DecoderConfig(StackConfig):
    """Configuration of a decoder; the defaults are the paper's, with cross-attention.

    GPT-2 (Radford et al. 2019) differs in ``norm="pre"``, ``activation="gelu"``,
    ``positions="learned"`` and ``cross_attention=False``: its layers attend to no encoder.
    """

    cross_attention: bool = True
