"""Imports of model and headlight: the public interface, nothing slow, no effect on libraries."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import importlib, pkgutil, torch, model
import transformers.utils.logging as logging

def settings():
    return (
        torch.get_num_threads(), torch.is_grad_enabled(), torch.get_default_dtype(),
        torch.initial_seed(), logging.is_progress_bar_enabled(), logging.get_verbosity(),
    )

torch.set_num_threads(3)
torch.manual_seed(5)
logging.enable_progress_bar()
before = settings()
for module in pkgutil.walk_packages(model.__path__, "model."):
    importlib.import_module(module.name)
assert settings() == before, (before, settings())
"""

INTERFACE = (
    "rollout, flow, value_norms, logit_lens, ablate, js_distance, head_labels, induction_scores, "
    "survey, load_model, list_models, Encoder, EncoderConfig, Decoder, DecoderConfig, "
    "EncoderDecoder, scaled_dot_product_attention, sinusoidal_encoding"
)
BOTH = f"""
import sys
import headlight, model
from headlight import {INTERFACE}
assert all(getattr(model, name) is getattr(headlight, name) for name in model.__all__)
from headlight import attention_figure, attention_heatmap
slow = "streamlit starlette uvicorn pydantic sqlalchemy matplotlib transformers.modeling_utils"
assert not {{*slow.split()}} & {{*sys.modules}}, {{*slow.split()}} & {{*sys.modules}}
from model import {INTERFACE}
assert not [name for name in ("thumbnail_block", "SIDE_RGB", "literal") if hasattr(headlight, name)]
"""


def test_the_public_interface_has_both_names_and_needs_neither_the_app_nor_the_networks():
    subprocess.run([sys.executable, "-c", BOTH], cwd=ROOT, check=True)


def test_importing_model_changes_no_setting_of_torch_or_transformers():
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, check=True)
