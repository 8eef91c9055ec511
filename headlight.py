"""Headlight: an attention laboratory in the browser, and its Python interface.

    from headlight import attention_heatmap, load_model

In the repository this is a module beside ``model`` and ``viz``; installed, it is the package that
contains them. Code that a page prints imports from here and runs in both. A name is imported at its
first use, and nothing here imports the app.
"""

from importlib import import_module
from typing import Any

_PREFIX = f"{__name__}." if __spec__ and __spec__.submodule_search_locations else ""

_PUBLIC = ("model", "viz", "model.analysis.survey", "web.notebook")
_FUNCTIONS_OF_PAGES = (
    "model.analysis.approximations",
    "model.analysis.depth",
    "model.analysis.masking",
    "model.analysis.order",
    "model.calculator.mistakes",
    "model.calculator.norms",
    "model.calculator.real_head",
    "model.calculator.scaling",
    "model.calculator.settings",
    "model.calculator.steps",
    "model.transformer.masks",
    "model.transformer.positions",
)
"""Modules whose functions the printed code calls."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module(f"{_PREFIX}model.version").version()
    for path in (*_PUBLIC, *_FUNCTIONS_OF_PAGES):
        module = import_module(_PREFIX + path)
        found = vars(module).get(name)
        own = getattr(found, "__module__", None) == module.__name__ and not name.startswith("_")
        if name in module.__all__ if path in _PUBLIC else own:
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({name for path in _PUBLIC for name in import_module(_PREFIX + path).__all__})
