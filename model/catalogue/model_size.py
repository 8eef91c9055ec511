"""Size of a loaded model."""

from functools import cached_property

from torch import nn


class SizedModel:
    """Mixin that counts the parameters of a network.

    Attributes:
        module: The network.
    """

    module: nn.Module

    @cached_property
    def n_parameters(self) -> int:
        """Number of parameters, shared ones counted once."""
        return sum(parameter.numel() for parameter in self.module.parameters())

    @property
    def nbytes(self) -> int:
        """Bytes of the parameters in memory."""
        return sum(p.numel() * p.element_size() for p in self.module.parameters())
