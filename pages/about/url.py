"""Fields of the About page: the sizes whose parameters are counted."""

from web.language import N_
from web.view_state import field
from web.view_state.field import Fields


class Sizes(Fields, prefix="size_"):
    """Defaults are the paper's base model."""

    kind = field.part(
        N_("Part to count"),
        {"encoder": N_("Encoder"), "decoder": N_("Decoder"), "both": N_("Encoder and decoder")},
        default="both",
    )
    vocab = field.number(N_("Vocabulary"), 37_000, (1, 10_000_000))
    d_model = field.number("d_model", 512, (1, 65_536))
    heads = field.number(N_("Heads"), 8, (1, 1_024))
    d_ff = field.number("d_ff", 2_048, (1, 1_000_000))
    layers = field.number(N_("Layers"), 6, (1, 256))
    norm = field.choice(N_("Norm"), {"post": N_("post"), "pre": N_("pre")})
    positions = field.choice(
        N_("Positions"),
        {"sinusoidal": N_("sinusoidal"), "learned": N_("learned"), "none": N_("none")},
    )
    length = field.number(
        N_("Learned positions"), 512, (1, 10_000_000), when=positions.among("learned")
    )
    segments = field.number(N_("Segments"), 0, (0, 16), when=kind.among("encoder", "both"))
    embedding_norm = field.flag(N_("Embedding norm"))
    pooler = field.flag(N_("Pooler"), when=kind.among("encoder"))
