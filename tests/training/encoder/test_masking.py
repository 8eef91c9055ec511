import pytest
import torch

from training.encoder.masking import mask_tokens


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
