"""The Transformer from scratch, pretrained models, and captures of their attention."""

from model.analysis.align import align, difference
from model.analysis.depth import flow, head_mean, rollout, value_norms
from model.analysis.distances import jensen_shannon, js_distance, shared_heads
from model.analysis.induction import induction_scores
from model.analysis.intervention import Intervention, ablate, intervene
from model.analysis.labels import head_labels
from model.analysis.logit_lens import contributions, logit_lens
from model.analysis.measures import profile
from model.analysis.survey.table import survey
from model.analysis.units import unit_means, unit_weights, units
from model.capture.record import AttentionCapture, HeadSteps, open_capture, read_capture
from model.capture.tokens import MAX_TOKENS
from model.catalogue.causal import Generation, LoadedCausal
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.models import load_model
from model.catalogue.names import ModelInfo, list_models, model_info
from model.catalogue.options import Options
from model.catalogue.pretrained.hub import NotDownloadedError, NotInstalledError
from model.catalogue.translation import Translation
from model.catalogue.translator import LoadedTranslator
from model.errors import CutTextWarning, HeadlightError
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
    "MAX_TOKENS", "AttentionCapture", "AttentionSteps", "CutTextWarning", "Decoder",
    "DecoderConfig", "DecoderLayer", "Encoder", "EncoderConfig", "EncoderDecoder", "EncoderLayer",
    "Generation", "HeadSteps", "HeadlightError", "Intervention", "LoadedCausal", "LoadedModel",
    "LoadedTranslator", "ModelInfo", "MultiHeadAttention", "NotDownloadedError",
    "NotInstalledError", "Options", "Translation", "ablate", "align", "causal_mask",
    "contributions", "difference", "flow", "head_labels", "head_mean", "induction_scores",
    "intervene", "jensen_shannon", "js_distance", "list_models", "load_model", "logit_lens",
    "model_info", "open_capture", "padding_mask", "parameter_counts", "profile", "read_capture",
    "rollout", "scaled_dot_product_attention", "shared_heads", "sinusoidal_encoding", "survey",
    "unit_means", "unit_weights", "units", "value_norms",
]  # fmt: skip
