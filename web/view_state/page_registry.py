"""Registry of the pages' URL parameters: code in `web` reads links without importing a page."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from web.view_state.address import Parameters

_modules: list[str] = []


def register(module: str) -> None:
    """Name the module that holds the parameters; the first link that is read imports it.

    Args:
        module: Its ``BY_PATH`` maps a path such as ``/layers`` to the page's parameters.
    """
    _modules[:] = [module]
    _by_path.cache_clear()


def parameters_of(path: str) -> Parameters | None:
    """Return the URL parameters of the page at a path, or None if no page has such a view.

    Args:
        path: From the root, such as ``/layers``.
    """
    return _by_path().get(path)


@cache
def _by_path() -> Mapping[str, Parameters]:
    found: dict[str, Parameters] = {}
    for module in _modules:
        found |= import_module(module).BY_PATH
    return found
