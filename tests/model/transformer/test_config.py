import dataclasses

import pytest

from model import EncoderConfig, HeadlightError
from tests.model.transformer.test_encoder import TINY, T, encoder, tokens


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_heads": 5}, "d_model = 12 does not split into 5 equal heads"),
        ({"d_model": 9}, "must be even"),
        ({"n_layers": 0}, "n_layers must be at least 1, not 0"),
        ({"vocab_size": 0}, "vocab_size must be at least 1"),
        ({"norm": "middle"}, "norm must be one of post, pre, not middle"),
        ({"activation": "swish"}, "activation must be one of relu, gelu"),
        ({"positions": "rotary"}, "positions must be one of sinusoidal, learned, none"),
    ],
    ids=str,
)
def test_an_invalid_configuration_is_an_error_in_words(changes, words):
    with pytest.raises(HeadlightError, match=words):
        dataclasses.replace(TINY, **changes)


def test_without_sinusoids_d_model_may_be_odd():
    assert encoder(d_model=9, positions="learned")(tokens(1, T)).shape == (1, T, 9)


def test_the_defaults_are_the_papers():
    config = EncoderConfig(37_000)
    sizes = (config.d_model, config.n_heads, config.d_ff, config.n_layers, config.d_head)
    assert sizes == (512, 8, 2048, 6, 64)
    assert (config.norm, config.activation, config.positions) == ("post", "relu", "sinusoidal")
