"""An import of model/ does not change the settings of torch and transformers."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts)
    for file in sorted((ROOT / "model").rglob("*.py"))
    if file.stem != "__init__"
]
PROGRAM = f"""
import importlib
import torch
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
for name in {MODULES}:
    importlib.import_module(name)
assert settings() == before, (before, settings())
"""


def test_importing_model_changes_no_setting_of_torch_or_transformers():
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, check=True)
