"""How large a model is that is loaded."""

from functools import cached_property

from torch import nn


class Weighed:
    """Something with a network, whose weights can be counted.

    Attributes:
        module: The network.
    """

    module: nn.Module

    @cached_property
    def n_parameters(self) -> int:
        """Number of weights, shared ones counted once."""
        return sum(parameter.numel() for parameter in self.module.parameters())

    @property
    def nbytes(self) -> int:
        """Bytes that the weights hold in memory."""
        return sum(p.numel() * p.element_size() for p in self.module.parameters())
