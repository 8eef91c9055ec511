import pytest
import torch

from model import EncoderConfig
from model.transformer.language_model import MaskedLanguageModel
from training.encoder.loss import Sample, losses_on, mask_tokens


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


def test_masks_are_eighty_ten_ten_and_spare_special_tokens():
    ids = torch.randint(1000, 30_000, (400, 52), generator=torch.Generator().manual_seed(1))
    generator = torch.Generator().manual_seed(2)
    corrupted, chosen = mask_tokens(ids, 0.2, 103, 30_522, generator)
    assert not chosen[:, [0, -1]].any()
    assert chosen[:, 1:-1].float().mean().item() == pytest.approx(0.2, abs=0.01)
    masked = corrupted[chosen] == 103
    kept = corrupted[chosen] == ids[chosen]
    assert masked.float().mean().item() == pytest.approx(0.8, abs=0.02)
    assert kept.float().mean().item() == pytest.approx(0.1, abs=0.02)
    assert torch.equal(corrupted[~chosen], ids[~chosen])
    always, chosen = mask_tokens(ids, 0.15, 103, 30_522, generator, always_mask=True)
    assert (always[chosen] == 103).all()


def test_at_least_one_token_is_masked():
    ids = torch.full((1, 3), 2000)
    for seed in range(50):
        _, chosen = mask_tokens(ids, 0.01, 103, 30_522, torch.Generator().manual_seed(seed))
        assert chosen.tolist() == [[False, True, False]]
