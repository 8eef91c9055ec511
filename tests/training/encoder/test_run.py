import copy
from contextlib import nullcontext
from dataclasses import replace
from unittest.mock import Mock

import pytest
import torch

from model import HeadlightError
from tests.training.conftest import TINY
from training.encoder import run as encoder_run
from training.encoder.corpus import Packing
from training.encoder.run import EncoderRun
from training.loop import Progress
from training.recipe import EncoderRecipe

RECIPE = EncoderRecipe(
    seed=5,
    lr=3e-3,
    warm_up=4,
    cooldown=6,
    short_steps=7,
    short=Packing(3, 9, 0.3, 128),
    long=Packing(5, 20, 0.35, 256),
    common=40,
    negatives=60,
)


def losses(run: EncoderRun, count: int) -> list[float]:
    return [run.step() for _ in range(count)]


def test_a_run_stopped_at_any_step_resumes_exactly(corpus, tokenizer, tmp_path):
    whole = EncoderRun(tmp_path / "whole", TINY, RECIPE, corpus, tokenizer, 20)
    expected = losses(whole, 20)  # the short phase, the long phase and the cooldown
    found = []
    for part in (3, 4, 5, 8):  # stops in each phase and between two phases
        run = EncoderRun(tmp_path / "parts", TINY, RECIPE, corpus, tokenizer, 20)
        found += losses(run, part)
        run.save()
    assert found == expected
    assert run.progress.tokens == whole.progress.tokens
    for ours, theirs in zip(run.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_products_in_16_bits_give_the_gradients_of_32(corpus, tokenizer, tmp_path, monkeypatch):
    short = EncoderRun(tmp_path / "16", TINY, RECIPE, corpus, tokenizer, 20)
    found = losses(short, 1)
    monkeypatch.setattr(encoder_run, "_in_16_bits", copy.deepcopy)
    monkeypatch.setattr(torch, "autocast", lambda *args, **kwargs: nullcontext())
    long = EncoderRun(tmp_path / "32", TINY, RECIPE, corpus, tokenizer, 20)
    assert found == pytest.approx(losses(long, 1), rel=1e-3)
    for ours, theirs in zip(short.weights, long.weights, strict=True):
        assert ours.dtype == ours.grad.dtype == torch.float32
        if theirs.grad.norm() > 1e-6:  # a key's bias has none: the softmax ignores a constant
            cosine = torch.cosine_similarity(ours.grad.ravel(), theirs.grad.ravel(), dim=0)
            assert cosine.item() > 0.99


def test_gradients_of_partial_batches_sum_to_the_whole(corpus, tokenizer, tmp_path):
    whole = EncoderRun(tmp_path / "whole", TINY, RECIPE, corpus, tokenizer, 20)
    parts = EncoderRun(tmp_path / "parts", TINY, RECIPE, corpus, tokenizer, 20, parts=3)
    assert losses(parts, 3) == pytest.approx(losses(whole, 3), rel=2e-3)


def test_a_continued_run_starts_with_the_given_weights(corpus, tokenizer, tmp_path):
    before = EncoderRun(tmp_path / "before", TINY, RECIPE, corpus, tokenizer, 20)
    losses(before, 12)
    recipe = replace(RECIPE, first=12)
    after = EncoderRun(tmp_path / "after", TINY, recipe, corpus, tokenizer, 20)
    after.go_on_from(before.model.state_dict(), Progress(step=12, tokens=3_000, epoch=4))
    for ours, theirs in zip(after.model.parameters(), before.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert recipe.rate(12, 100) == pytest.approx(recipe.lr / 4)  # a new warm-up over 4 steps
    new = EncoderRun(tmp_path / "new", TINY, recipe, corpus, tokenizer, 20)
    assert losses(after, 1)[0] < losses(new, 1)[0]
    assert after.progress.step == 13
    assert after.progress.tokens > 3_000


def test_a_checkpoint_survives_a_diverged_run_and_a_full_disk(
    corpus, tokenizer, tmp_path, monkeypatch
):
    run = EncoderRun(tmp_path, TINY, RECIPE, corpus, tokenizer, 20)
    losses(run, 1)
    run.save()
    losses(run, 1)
    with monkeypatch.context() as patch, pytest.raises(HeadlightError, match="free disk space"):
        patch.setattr(torch, "save", Mock(side_effect=OSError(28, "No space left on device")))
        run.save()
    with torch.no_grad():
        run.model.bias.fill_(float("nan"))
    with pytest.raises(HeadlightError, match="The loss of step 2 is nan"):
        run.step()
    assert EncoderRun(tmp_path, TINY, RECIPE, corpus, tokenizer, 20).progress.step == 1
    with pytest.raises(HeadlightError, match=r"another .*lr"):
        EncoderRun(tmp_path, TINY, replace(RECIPE, lr=1e-4), corpus, tokenizer, 20)
