"""Code of the Calculator's view of the norms."""

import torch
from torch import Tensor

from model.calculator.norms import batch_norm, layer_norm
from viz.figures.norms import norm_heatmap
from web.widgets.recorder import Notebook, code


def norms_lines(x: Tensor) -> str:
    """Code of both norms, compared with torch's own.

    Args:
        x: A batch, (sentences, tokens, features).
    """
    notebook, double = Notebook(), {"dtype": code(torch).float64}
    batch = notebook.let("x", code(torch).tensor(x.tolist(), **double))
    by_token = notebook.let("by_token", code(layer_norm)(batch).output)
    by_feature = notebook.let("by_feature", code(batch_norm)(batch).output)
    n_features = x.shape[-1]
    own_layer_norm = code(torch).nn.LayerNorm(n_features, **double)(batch)
    notebook.run(code(torch).allclose(by_token, own_layer_norm), "assert ")
    # BatchNorm1d expects (sentences, features, tokens).
    swapped = code(torch).nn.BatchNorm1d(n_features, **double)(batch.transpose(1, 2))
    notebook.run(code(torch).allclose(by_feature, swapped.transpose(1, 2)), "assert ")
    names = [f"{sentence}{token}" for sentence in "AB" for token in range(x.shape[1])]
    return notebook.show(code(norm_heatmap)(by_token.flatten(0, 1).numpy(), names))
