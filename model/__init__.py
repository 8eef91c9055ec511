"""The Transformer from scratch, pretrained models, and captures of their attention."""

from model.analysis.survey.table import survey
from model.capture.record import AttentionCapture, HeadSteps
from model.capture.tokens import MAX_TOKENS
from model.catalogue.causal import Generation, LoadedCausal
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.models import load_model
from model.catalogue.names import ModelInfo, list_models, model_info
from model.catalogue.options import Options
from model.catalogue.pretrained.hub import NotDownloadedError
from model.catalogue.pretrained.smollm2 import NotInstalledError
from model.catalogue.translation import Translation
from model.catalogue.translator import LoadedTranslator
from model.errors import HeadlightError
from model.transformer.attention import (
    AttentionSteps,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from model.transformer.config import DecoderConfig, EncoderConfig
from model.transformer.decoder import Decoder, DecoderLayer
from model.transformer.encoder import Encoder, EncoderLayer
from model.transformer.encoder_decoder import EncoderDecoder
from model.transformer.positions import sinusoidal_encoding
from model.transformer.sizes import parameter_counts

__all__ = [
    "MAX_TOKENS",
    "AttentionCapture",
    "AttentionSteps",
    "Decoder",
    "DecoderConfig",
    "DecoderLayer",
    "Encoder",
    "EncoderConfig",
    "EncoderDecoder",
    "EncoderLayer",
    "Generation",
    "HeadSteps",
    "HeadlightError",
    "LoadedCausal",
    "LoadedModel",
    "LoadedTranslator",
    "ModelInfo",
    "MultiHeadAttention",
    "NotDownloadedError",
    "NotInstalledError",
    "Options",
    "Translation",
    "causal_mask",
    "list_models",
    "load_model",
    "model_info",
    "padding_mask",
    "parameter_counts",
    "scaled_dot_product_attention",
    "sinusoidal_encoding",
    "survey",
]
