"""The Transformer from scratch, pretrained encoders, and what their heads attend to."""

from model.attention import (
    AttentionSteps,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from model.capture import AttentionCapture, HeadSteps
from model.catalogue import ModelInfo, list_models, load_model, model_info
from model.config import EncoderConfig, parameter_counts
from model.encoder import Encoder, EncoderLayer
from model.errors import HeadlightError
from model.loaded import LoadedModel
from model.positions import sinusoidal_encoding
from model.pretrained import NotDownloadedError
from model.tokens import MAX_TOKENS

__all__ = [
    "MAX_TOKENS",
    "AttentionCapture",
    "AttentionSteps",
    "Encoder",
    "EncoderConfig",
    "EncoderLayer",
    "HeadSteps",
    "HeadlightError",
    "LoadedModel",
    "ModelInfo",
    "MultiHeadAttention",
    "NotDownloadedError",
    "causal_mask",
    "list_models",
    "load_model",
    "model_info",
    "padding_mask",
    "parameter_counts",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
]
