"""Headlight: an attention laboratory in the browser, and its Python interface.

    from headlight import attention_heatmap, load_model

The names are those of ``headlight.model``, ``headlight.viz`` and
``headlight.model.analysis.survey``, imported at their first use.
"""

from importlib import import_module
from importlib.metadata import version
from typing import Any

__version__ = version("headlight-attention")

_INTERFACES = ("headlight.model", "headlight.viz", "headlight.model.analysis.survey")


def __getattr__(name: str) -> Any:
    for interface in _INTERFACES:
        module = import_module(interface)
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"module 'headlight' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({name for each in _INTERFACES for name in import_module(each).__all__})
