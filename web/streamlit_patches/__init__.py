"""Registry of the patches of private APIs of Streamlit, uvicorn and asyncio.

Each file of this folder holds one patch, or the access to one private part. Its docstring states
the replaced part, the reason, the upstream issue, and when to delete it. README.md has the
measurements. ``python -m web.streamlit_patches`` names the patches whose targets have changed.

The JavaScript files follow the same rule. They rely on Streamlit's bundle, whose hash is recorded.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

import streamlit as st

from web.streamlit_patches import (
    deferred_downloads,
    forward_message_cache,
    request_timeout,
    rerun_patches,
    runtime_sessions,
    script_context,
    session_state_patches,
    widget_messages,
)


@dataclass(frozen=True)
class Patch:
    """One patch of a private API.

    Attributes:
        required: Whether the application loses input, output or a protection without it.
            ``--plain`` leaves out the others.
        targets: The upstream functions and classes that it replaces or relies on, as
            ``module:name``, with the hash of the source that it was written for.
        install: Replaces the targets in this process; a second call changes nothing. None: the
            file only reads private state.
    """

    name: str
    required: bool
    targets: Mapping[str, str]
    install: Callable[[], None] | None = None


def _patch(module: ModuleType, required: bool) -> Patch:
    name = module.__name__.rpartition(".")[2]
    return Patch(name, required, module.TARGETS, getattr(module, "install", None))


PATCHES = (
    _patch(script_context, required=True),
    _patch(runtime_sessions, required=True),
    _patch(rerun_patches, required=True),
    _patch(widget_messages, required=True),
    _patch(forward_message_cache, required=True),
    _patch(deferred_downloads, required=True),
    _patch(request_timeout, required=True),
    _patch(session_state_patches, required=False),
)


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
        if patch.install and (patch.required or not plain):
            patch.install()


def changed_targets() -> Iterator[tuple[str, str, str]]:
    """Patches whose targets differ from the recorded source; for a process without patches.

    Yields:
        Name of the patch, target, and the installed source's hash ("missing" without a source).
    """
    for patch in PATCHES:
        for target, recorded in patch.targets.items():
            if (installed := source_hash(target)) != recorded:
                yield patch.name, target, installed
    if (installed := bundle_hash()) != BUNDLE:
        yield ", ".join(BROWSER_FILES), "static/static/js", installed


def source_hash(target: str) -> str:
    """Start of the SHA-256 of a target's source; "missing" if there is no such target."""
    try:
        found: Any = resolve_name(target)
    except (ImportError, AttributeError):
        return "missing"
    if isinstance(found, property):
        found = found.fget
    source = inspect.getsource(found)
    return sha256(source.encode()).hexdigest()[:12]
