"""Registry of the patches of private APIs of Streamlit, uvicorn and asyncio; see README.md.

The JavaScript files follow the same rule: they rely on Streamlit's bundle, whose hash is recorded.
The import of this package compares the installed sources with the recorded ones. It ends the
process if a part is missing: the application would lose input, output or a protection.
"""

import inspect
import logging
import re
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from types import ModuleType
from typing import Any

import streamlit as st

log = logging.getLogger(__name__)

VERSIONS = {"streamlit": "1.67.0", "uvicorn": "0.54.0"}
"""Versions whose sources are recorded."""


PATCHES = [module.name for module in iter_modules(__path__)]
"""The modules of this package.

A patch's ``TARGETS`` are the upstream functions, classes and attributes that it replaces or relies
on, as ``module:name``, with the hash of the source that it was written for. Its ``install``
replaces them in this process; without one, it only reads private state.
"""

BUNDLE = "f5c559090194"
"""Hash of the file names of Streamlit's scripts, which contain the hashes of their contents.

The JavaScript files of this folder rely on them. So do the style sheets, by ``data-testid`` names.
"""


def install() -> None:
    """Install the patches in this process, before the server starts; again, it changes nothing."""
    for patch in PATCHES:
        if hasattr(module := _module(patch), "install"):
            module.install()


def changed_targets() -> Iterator[tuple[str, str, str]]:
    """Targets that differ from the recorded source: the patch, the target, and the installed hash.

    For a process without patches. The hash is "missing" without a source.
    """
    for patch in PATCHES:
        try:
            targets = _module(patch).TARGETS
        except (ImportError, AttributeError) as error:  # it names a part that is missing
            yield patch, str(error), "missing"
            continue
        for target, recorded in targets.items():
            if (installed := source_hash(target)) != recorded:
                yield patch, target, installed
    scripts = sorted(file.name for file in Path(st.__file__).parent.glob("static/static/js/*.js"))
    if (installed := sha256("\n".join(scripts).encode()).hexdigest()[:12]) != BUNDLE:
        yield "*.js", "static/static/js", installed


def _module(patch: str) -> ModuleType:
    return import_module(f"{__name__}.{patch}")


def source_hash(target: str) -> str:
    """Start of the SHA-256 of a target's source; "missing" if there is no such target."""
    owner, _, name = target.rpartition(".")
    try:
        found: Any = resolve_name(target)
        source = inspect.getsource(getattr(found, "fget", found))  # of a property
    except ImportError:
        return "missing"
    except (AttributeError, TypeError):
        try:
            lines = inspect.getsource(resolve_name(owner)).splitlines()
        except (ImportError, AttributeError, TypeError):
            return "missing"
        sets = re.compile(rf"\s+(self\.)?{name}(: .*|,? .*)?= |\s+{name}: ")
        source = "\n".join(line.strip() for line in lines if sets.match(line))
    return sha256(source.encode()).hexdigest()[:12] if source else "missing"


def check() -> None:
    """Warn of changed targets; end the process if one is missing."""
    changed = []
    for patch, target, found in changed_targets():
        package = "uvicorn" if patch == "request_timeout" else "streamlit"
        installed = f"{package} {version(package)}"
        if found == "missing":
            raise SystemExit(
                f"Headlight needs {package}=={VERSIONS[package]}: the installed {installed} lacks "
                f"what web/streamlit_patches/{patch}.py uses ({target})."
            )
        changed.append(f"{target} of {installed}")
    if changed:
        log.warning("Headlight was not tested with these changes: %s", "; ".join(changed))


check()
