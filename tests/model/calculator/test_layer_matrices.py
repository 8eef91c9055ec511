"""Named matrices of a whole layer: each follows from the others on its card."""

from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from model.calculator.layer_matrices import layer_matrices
from tests.model.calculator.whole_layers import N_SOURCES, N_TOKENS, D, F, H, pass_through

HEAD = 2
K = D // H
OWN = slice(HEAD * K, (HEAD + 1) * K)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_each_matrix_follows_from_the_others(norm, activation):
    (_, whole), *_ = pass_through("decoder", norm, activation)[0]
    m = layer_matrices(whole, HEAD)
    stream = m["X"]
    for part in ("self", "cross", "ffn"):
        own = {name.removeprefix(f"{part}_"): m[name] for name in m if name.startswith(part)}
        given = own["norm"] if norm == "pre" else stream
        if part == "ffn":
            hidden = given @ own["W_in"] + own["b_in"]
            assert_allclose(own["hidden"], hidden)
            share = np.vectorize(NormalDist().cdf)(hidden) if activation == "gelu" else hidden > 0
            assert_allclose(own["activated"], hidden * share, atol=1e-12)
            assert ("share" in own) == (activation == "gelu")
            output = own["activated"] @ own["W_out"] + own["b_out"]
        else:
            output = attention(own, given, own.get("memory", given))
        assert_allclose(own["output"], output)
        assert_allclose(own["added"], stream + output)
        read = stream if norm == "pre" else own["added"]
        assert_allclose(own["mean"], read.mean(1, keepdims=True))
        assert_allclose(own["variance"], read.var(1, keepdims=True))
        stream = own["added"] if norm == "pre" else own["norm"]
    assert_allclose(stream, whole.output.numpy())
    assert m["cross_weights"].shape == (N_TOKENS, N_SOURCES)
    assert m["ffn_hidden"].shape == (N_TOKENS, F)


def attention(own, given, source):
    """The output of W^O, after a check of the matrices before it."""
    q, k, v = (
        x @ own[f"W_{n}"] + own[f"b_{n}"]
        for n, x in zip("QKV", (given, source, source), strict=True)
    )
    for name, matrix in zip("QKV", (q, k, v), strict=True):
        assert_allclose(own[name], matrix)
    assert_allclose(own["raw_scores"], q[:, OWN] @ k[:, OWN].T)
    assert_allclose(own["scaled_scores"], own["raw_scores"] / np.sqrt(K))
    allowed = own.get("allowed", np.ones(own["raw_scores"].shape, dtype=bool))
    assert_allclose(own["masked_scores"], np.where(allowed, own["scaled_scores"], -np.inf))
    assert_allclose(own["exponentials"], np.exp(own["masked_scores"] - own["maxima"]))
    assert_allclose(own["weights"], own["exponentials"] / own["row_sums"])
    assert_allclose(own["context"], own["weights"] @ v[:, OWN])
    assert_allclose(own["concatenated"][:, OWN], own["context"])
    return own["concatenated"] @ own["W_O"] + own["b_O"]


def test_a_mask_that_hides_nothing_is_omitted():
    (_, decoder), *_ = pass_through("decoder", "post", "relu")[0]
    named = layer_matrices(decoder, 0)
    assert named["self_allowed"].tolist() == np.tri(N_TOKENS, dtype=bool).tolist()
    assert "cross_allowed" not in named
    (_, encoder), *_ = pass_through("encoder", "post", "relu")[0]
    assert "self_allowed" not in layer_matrices(encoder, 0)
