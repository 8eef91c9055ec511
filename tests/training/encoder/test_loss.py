import pytest
import torch

from model import EncoderConfig
from model.transformer.language_model import MaskedLanguageModel
from training.encoder.loss import Sample, losses_on


def test_a_sample_of_the_whole_vocabulary_gives_the_exact_softmax():
    config = EncoderConfig(vocab_size=50, d_model=12, n_heads=2, d_ff=8, n_layers=1, dropout=0.0)
    model = MaskedLanguageModel(config)
    generator = torch.Generator().manual_seed(0)
    model.initialise(torch.arange(50), generator)
    hidden, targets = torch.randn(7, 12, generator=generator), torch.arange(3, 10)
    whole = Sample.around(targets, None, 0, 50, generator)
    sampled = Sample.around(targets, torch.arange(50), 5, 50, generator)
    direct = torch.nn.functional.cross_entropy(model.logits(hidden), targets, reduction="none")
    torch.testing.assert_close(losses_on(model, hidden, targets, whole), direct)
    torch.testing.assert_close(losses_on(model, hidden, targets, sampled), direct)


def test_drawn_tokens_represent_all_other_tokens():
    generator = torch.Generator().manual_seed(4)
    targets, common = torch.tensor([40, 3, 40]), torch.tensor([3, 5, 9])
    sample = Sample.around(targets, common, 30, 1000, generator)
    assert sample.certain.tolist() == [3, 5, 9, 40]
    assert len(set(sample.ids.tolist())) == len(sample.ids)
    assert sample.weight.exp().sum().item() == pytest.approx(1000, rel=1e-5)
