"""Parameters of an encoder or a decoder by part, counted from its sizes."""

from model.transformer.config import DecoderConfig, EncoderConfig, StackConfig


def parameter_counts(
    config: StackConfig, *, pooler: bool = False, shared_tokens: bool = False
) -> dict[str, int]:
    """Count the parameters of an encoder or a decoder by part, without building it.

    The output matrix of a decoder is its token table (Vaswani et al. 2017, section 3.4) and adds
    nothing. The parts are in the order of the forward pass and sum to the model's size.

    Args:
        pooler: Whether to count BERT's pooler, the dense layer over [CLS] that its published size
            includes. Our encoder has none, because nothing here reads it.
    """
    d_model = config.d_model
    width = config.d_embedding or d_model
    joined = config.n_heads * config.d_head  # of all heads, side by side
    attention = 4 * d_model * joined + 3 * joined + d_model  # W^Q W^K W^V W^O, with their biases
    norm = 2 * d_model  # gain and bias
    crosses = isinstance(config, DecoderConfig) and config.cross_attention
    segments = config.n_segments if isinstance(config, EncoderConfig) else 0
    projection = width * d_model if config.d_embedding else 0
    parts = {
        "token embedding": (0 if shared_tokens else config.vocab_size * width) + projection,
        "positions": config.max_len * d_model if config.positions == "learned" else 0,
        "segments": segments * d_model,
        "embedding norm": norm if config.embedding_norm else 0,
        "attention": config.n_layers * attention,
        "cross-attention": config.n_layers * attention if crosses else 0,
        "feed-forward": config.n_layers * (2 * d_model * config.d_ff + config.d_ff + d_model),
        "layer norms": norm * (config.n_layers * (3 if crosses else 2) + (config.norm == "pre")),
        "pooler": d_model * d_model + d_model if pooler else 0,
    }
    return {part: count for part, count in parts.items() if count}
