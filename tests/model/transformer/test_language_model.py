import pytest
import torch

from model.transformer.language_model import MaskedLanguageModel
from tests.training.conftest import TINY


def test_the_initial_bias_is_the_frequency_of_each_token():
    model = MaskedLanguageModel(TINY)
    counts = torch.zeros(30_522, dtype=torch.int64)
    counts[7] = 30_522 * 9
    model.initialise(counts, torch.Generator().manual_seed(0))
    shares = model.bias.exp()
    assert shares.sum().item() == pytest.approx(1, abs=1e-4)
    assert shares[7].item() == pytest.approx(0.9, abs=1e-4)
