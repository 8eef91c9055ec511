"""The encoder from scratch; `test_decoder.py` compares its layers with torch's."""

import dataclasses

import pytest
import torch
from torch.testing import assert_close

from model import Encoder, EncoderConfig, HeadlightError, sinusoidal_encoding

B, T, H, D, FF, VOCAB, LAYERS = 2, 5, 3, 12, 20, 31, 4
TINY = EncoderConfig(VOCAB, d_model=D, n_heads=H, d_ff=FF, n_layers=LAYERS, max_len=9)


def encoder(**changes) -> Encoder:
    torch.manual_seed(0)
    return Encoder(dataclasses.replace(TINY, **changes)).eval()


def tokens(*shape: int) -> torch.Tensor:
    return torch.randint(VOCAB, shape, generator=torch.Generator().manual_seed(3))


def test_embeddings_are_scaled_before_sinusoids_but_not_in_bert():
    """Section 3.4 of the paper: without sqrt(d_model), the positions would dominate the words."""
    ids = tokens(B, T)
    paper = encoder().embeddings
    expected = paper.token(ids) * D**0.5 + sinusoidal_encoding(T, D)
    assert_close(paper(ids), expected)
    bert = encoder(positions="learned").embeddings
    assert_close(bert(ids), bert.token(ids) + bert.position(torch.arange(T)))


PERMUTATION = torch.tensor([3, 0, 4, 1, 2])


def test_without_positions_permuted_words_give_permuted_rows():
    model, ids = encoder(positions="none"), tokens(B, T)
    assert_close(model(ids[:, PERMUTATION]), model(ids)[:, PERMUTATION], atol=1e-5, rtol=1e-5)


def test_segments_distinguish_two_sentences_in_a_model_that_has_them():
    model, ids = encoder(n_segments=2), tokens(1, T)
    assert_close(model(ids), model(ids, torch.zeros_like(ids)))  # sentence A by default
    assert not torch.allclose(model(ids), model(ids, torch.ones_like(ids)))
    assert_close(encoder()(ids, torch.ones_like(ids)), encoder()(ids))


def test_too_many_tokens_are_an_error_in_words():
    with pytest.raises(HeadlightError, match=r"10 tokens\. The encoder reads at most 9"):
        encoder()(tokens(1, 10))
    assert encoder()(tokens(1, 9)).shape == (1, 9, D)
