"""Quantised weights: accuracy after a round trip."""

import torch

from model.catalogue.quantise import BITS, FREQUENT, RARE_BITS, TABLE, quantise, restore


def test_restored_weights_are_within_half_a_step():
    generator = torch.Generator().manual_seed(0)
    n_rows = FREQUENT + 37
    state = {
        TABLE: torch.randn(n_rows, 13, generator=generator),
        "a.weight": torch.randn(5, 7, generator=generator) * torch.logspace(-1, 2, 5)[:, None],
        "a.bias": torch.randn(9, generator=generator),
    }
    by_frequency = torch.randperm(n_rows, generator=generator)
    back = restore(quantise(state, by_frequency))
    assert set(back) == set(state)
    torch.testing.assert_close(back["a.bias"], state["a.bias"], atol=2e-3, rtol=1e-3)

    def steps_off(name, rows, bits):
        step = state[name][rows].abs().amax(dim=1) / (2 ** (bits - 1) - 1)
        return ((back[name][rows] - state[name][rows]).abs() / step[:, None]).max().item()

    assert steps_off("a.weight", slice(None), BITS) < 0.6
    assert steps_off(TABLE, by_frequency[:FREQUENT], BITS) < 0.6
    assert steps_off(TABLE, by_frequency[FREQUENT:], RARE_BITS) < 0.51
    assert steps_off(TABLE, by_frequency[FREQUENT:], BITS) > 2  # rare rows really have fewer bits


def test_without_frequencies_every_row_has_the_same_bits_and_zeros_stay_zero():
    generator = torch.Generator().manual_seed(1)
    table = torch.randn(11, 5, generator=generator)
    packed = quantise({TABLE: table, "a.weight": torch.zeros(2, 3)})
    back = restore(packed)
    step = table.abs().amax(dim=1, keepdim=True) / (2 ** (BITS - 1) - 1)
    assert ((back[TABLE] - table).abs() / step).max() < 0.6
    assert packed[f"{TABLE}.bits"].shape == (11, 5)
    assert not back["a.weight"].any()
