"""Registry of the patches of private APIs of Streamlit, uvicorn and asyncio.

Each file of this folder holds one patch, or the access to one private part. Its docstring states
the replaced part, the reason, the upstream issue, and when to delete it. README.md has the
measurements. ``python -m web.streamlit_patches`` names the patches whose targets have changed.

The JavaScript files follow the same rule. They rely on Streamlit's bundle, whose hash is recorded.

The import of this package compares the installed sources with the recorded ones. It ends the
process if a part is missing that the application needs.
"""

import inspect
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

import streamlit as st

log = logging.getLogger(__name__)

VERSIONS = {"streamlit": "1.67.0", "uvicorn": "0.54.0"}
"""Versions whose sources are recorded."""


@dataclass(frozen=True)
class Patch:
    """One patch of a private API.

    Its module has ``TARGETS``: the upstream functions, classes and attributes that it replaces or
    relies on, as ``module:name``, with the hash of the source that it was written for. Its
    ``install`` replaces them in this process; a second call changes nothing. Without an
    ``install``, it only reads private state.

    Attributes:
        required: Whether the application loses input, output or a protection without it.
            ``--plain`` leaves out the others.
        package: The package that has the targets.
    """

    name: str
    required: bool
    package: str = "streamlit"

    def module(self) -> ModuleType:
        """The file of this patch.

        Raises:
            ImportError, AttributeError: If it imports or replaces a name that is missing.
        """
        return import_module(f"{__name__}.{self.name}")


PATCHES = [
    Patch("script_context", required=True),
    Patch("runtime_sessions", required=True),
    Patch("rerun_patches", required=True),
    Patch("widget_messages", required=True),
    Patch("forward_message_cache", required=True),
    Patch("deferred_downloads", required=True),
    Patch("request_timeout", required=True, package="uvicorn"),
    Patch("session_state_patches", required=False),
]


BROWSER_FILES = ("app_state.js", "elements.js", "run_requests.js")
"""Files that rely on Streamlit's bundle. So do the style sheets, by its ``data-testid`` names."""

BUNDLE = "f5c559090194"
"""Hash of the file names of Streamlit's scripts, which contain the hashes of their contents."""


def bundle_hash() -> str:
    """The hash of the installed bundle, for :data:`BUNDLE`."""
    scripts = (Path(st.__file__).parent / "static" / "static" / "js").glob("*.js")
    return sha256("\n".join(sorted(file.name for file in scripts)).encode()).hexdigest()[:12]


def install(plain: bool = False) -> None:
    """Install the patches in this process, before the server starts.

    Args:
        plain: Install the required patches only.
    """
    for patch in PATCHES:
        if (patch.required or not plain) and hasattr(patch.module(), "install"):
            patch.module().install()


def changed_targets() -> Iterator[tuple[Patch, str, str]]:
    """Targets that differ from the recorded source; for a process without patches.

    Yields:
        The patch, its target, and the installed source's hash ("missing" without a source).
    """
    for patch in (*PATCHES,):
        try:
            targets = patch.module().TARGETS
        except (ImportError, AttributeError) as error:
            yield patch, str(error), "missing"
            continue
        for target, recorded in targets.items():
            if (installed := source_hash(target)) != recorded:
                yield patch, target, installed
    if (installed := bundle_hash()) != BUNDLE:
        yield Patch(", ".join(BROWSER_FILES), False), "static/static/js", installed


def source_hash(target: str) -> str:
    """Start of the SHA-256 of a target's source; "missing" if there is no such target.

    The source of an attribute of objects is the lines of their class that set it.
    """
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
    """Leave out the optional patches whose targets are missing, and warn of changes.

    Raises:
        SystemExit: If a target of a required patch is missing.
    """
    changed = []
    for patch, target, found in changed_targets():
        needed = f"{patch.package}=={VERSIONS[patch.package]}"
        installed = f"{patch.package} {version(patch.package)}"
        if found != "missing":
            changed.append(f"{target} of {installed}")
        elif patch.required:
            raise SystemExit(
                f"Headlight needs {needed}: the installed {installed} lacks what "
                f"web/streamlit_patches/{patch.name}.py uses ({target})."
            )
        elif patch in PATCHES:
            PATCHES.remove(patch)
            log.warning(
                "Headlight leaves out the optional patch %s, which needs %s: %s lacks %s",
                *(patch.name, needed, installed, target),
            )
    if changed:
        log.warning("Headlight was not tested with these changes: %s", "; ".join(changed))


check()
