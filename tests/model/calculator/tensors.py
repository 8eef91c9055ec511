"""Matrices in 64 bits: typed ones, and random ones of given shapes."""

import torch


def matrix(*rows):
    return torch.tensor(rows, dtype=torch.float64)


def drawn(*shapes, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
