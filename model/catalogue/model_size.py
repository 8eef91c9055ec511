"""Size and origin of a loaded model."""

import hashlib
from functools import cached_property
from importlib.metadata import version as version_of
from pathlib import Path

import numpy as np
from torch import nn

from model.version import citation, version


class SizedModel:
    """Mixin that counts and hashes the parameters of a network."""

    module: nn.Module

    @cached_property
    def n_parameters(self) -> int:
        """Number of parameters, shared ones counted once."""
        return sum(parameter.numel() for parameter in self.module.parameters())

    @property
    def nbytes(self) -> int:
        """Bytes of the parameters in memory."""
        return sum(p.numel() * p.element_size() for p in self.module.parameters())

    @cached_property
    def origin(self) -> dict[str, str]:
        """What determines the model's numbers, for exported files.

        ``device`` and ``dtype`` are where and in which numbers the model computed, ``revision`` is
        the commit of the model hub ("" for other sources), ``weights_sha256`` the
        :func:`fingerprint`, which takes 0.6 s per GB, once for each model.
        """
        # The hub's cache stores the files of a commit in .../snapshots/COMMIT.
        folder = Path(getattr(getattr(self.module, "config", None), "name_or_path", ""))
        first = next(self.module.parameters())
        return {
            "headlight": version(),
            "revision": folder.name if folder.parent.name == "snapshots" else "",
            "weights_sha256": fingerprint(self.module),
            "device": first.device.type,
            "dtype": str(first.dtype).removeprefix("torch."),
            "torch": version_of("torch"),
            "transformers": version_of("transformers"),
            "citation": citation(),
        }


def fingerprint(module: nn.Module) -> str:
    """Hash a model's weights: sha256 over its names in order, each with its float32 values."""
    digest = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(tensor.float().cpu().numpy()).data)
    return digest.hexdigest()
