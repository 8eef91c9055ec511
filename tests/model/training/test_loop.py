"""Learning: the corpus as batches, the masks, the head, and a run that can be stopped anywhere."""

import copy
import lzma
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from model import EncoderConfig, HeadlightError
from model.catalogue.models import bert_tokenizer
from model.training import loop
from model.training.corpus import (
    Corpus,
    Packing,
    batches,
    load_corpus,
    sentences,
    sequences,
    training_files,
)
from model.training.loop import Progress, Recipe, Run
from model.training.loss import Sample, losses_on
from model.training.masking import mask_tokens
from model.training.word_vectors import word_vectors
from model.transformer.language_model import MaskedLanguageModel

TINY = EncoderConfig(
    vocab_size=30_522, d_model=24, n_heads=3, d_ff=40, n_layers=2, d_embedding=16, dropout=0.0
)
RECIPE = Recipe(
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
STORY = (
    "The cat sat on the mat. It was warm there! Did the dog see it? No, the dog slept. "
    "Mr. Brown came home late and found them both asleep by the fire, as cats and dogs are. "
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return bert_tokenizer()


@pytest.fixture
def folder(tmp_path):
    for name in ("openstax_a", "se_b"):
        with lzma.open(tmp_path / f"{name}.txt.xz", "wt") as file:
            file.write(f"{STORY * 40}\n{STORY[::-1]}\n{STORY * 25}\n")
    with lzma.open(tmp_path / "wikitext2_valid.txt.xz", "wt") as file:
        file.write("Held out zebra.\n")
    return tmp_path


@pytest.fixture
def corpus(folder, tokenizer) -> Corpus:
    return load_corpus(training_files(folder), tokenizer, folder / "cache")


# -- text ----------------------------------------------------------------------------------------


def test_sentences_end_where_a_reader_ends_them(folder):
    first = list(sentences(folder / "openstax_a.txt.xz"))[:5]
    assert first[:4] == [
        "The cat sat on the mat.",
        "It was warm there!",
        "Did the dog see it?",
        "No, the dog slept.",
    ]


def test_held_out_files_are_never_read_by_training(folder, corpus, tokenizer):
    assert [file.name for file in training_files(folder)] == ["openstax_a.txt.xz", "se_b.txt.xz"]
    assert corpus.counts[tokenizer.token_to_id("zebra")] == 0
    with pytest.raises(HeadlightError, match=r"wikitext2_valid\.txt\.xz is held out"):
        load_corpus([folder / "wikitext2_valid.txt.xz"], tokenizer, folder / "other")


def test_a_missing_or_corrupt_file_is_named_in_words(folder, tokenizer):
    with pytest.raises(HeadlightError, match=r"gone\.txt\.xz is missing"):
        load_corpus([folder / "gone.txt.xz"], tokenizer, folder / "other")
    broken = folder / "se_broken.txt.xz"
    broken.write_bytes((folder / "se_b.txt.xz").read_bytes()[:200])
    with pytest.raises(HeadlightError, match=r"se_broken\.txt\.xz is corrupt"):
        load_corpus([broken], tokenizer, folder / "other")
    with pytest.raises(HeadlightError, match="holds no corpus"):
        training_files(folder / "cache")


def test_every_batch_holds_sequences_of_one_length_within_bounds(corpus):
    packing = Packing(5, 20, 0.35, 256)
    found = batches(corpus, packing, 3, 0)
    for batch in found:
        lengths = batch[:, 1] - batch[:, 0]
        assert len(set(lengths.tolist())) == 1
        assert 3 <= lengths[0] <= 20
        assert len(batch) * (lengths[0] + 2) <= 256
    spans = np.concatenate(found)
    order = spans[spans[:, 0].argsort()]
    assert (order[1:, 0] >= order[:-1, 1]).all()  # no token twice in an epoch
    assert (spans[:, 1] - spans[:, 0]).sum() > 0.95 * len(corpus.ids)


def test_epochs_differ_and_a_seed_repeats_them(corpus):
    packing = Packing(5, 20, 0.35, 256)

    def flat(seed, epoch):
        return np.concatenate(batches(corpus, packing, seed, epoch)).tolist()

    assert flat(3, 1) == flat(3, 1)
    assert flat(3, 1) != flat(3, 0)
    assert flat(3, 1) != flat(4, 1)


def test_sequences_are_the_text_between_special_tokens(corpus, tokenizer):
    batch = np.array([[0, 7], [7, 14]])
    ids = sequences(corpus, batch, 101, 102)
    assert tokenizer.decode(ids[0].tolist(), skip_special_tokens=False) == (
        "[CLS] the cat sat on the mat. [SEP]"
    )
    assert ids.shape == (2, 9)


# -- masks ---------------------------------------------------------------------------------------


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


def test_something_is_always_chosen():
    ids = torch.full((1, 3), 2000)
    for seed in range(50):
        _, chosen = mask_tokens(ids, 0.01, 103, 30_522, torch.Generator().manual_seed(seed))
        assert chosen.tolist() == [[False, True, False]]


# -- the head ------------------------------------------------------------------------------------


def test_a_sample_of_the_whole_vocabulary_is_the_whole_softmax():
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


def test_drawn_tokens_stand_for_all_the_others():
    generator = torch.Generator().manual_seed(4)
    targets, common = torch.tensor([40, 3, 40]), torch.tensor([3, 5, 9])
    sample = Sample.around(targets, common, 30, 1000, generator)
    assert sample.certain.tolist() == [3, 5, 9, 40]
    assert len(set(sample.ids.tolist())) == len(sample.ids)
    assert sample.weight.exp().sum().item() == pytest.approx(1000, rel=1e-5)


def test_the_bias_begins_at_the_frequency_of_each_token():
    model = MaskedLanguageModel(TINY)
    counts = torch.zeros(30_522, dtype=torch.int64)
    counts[7] = 30_522 * 9
    model.initialise(counts, torch.Generator().manual_seed(0))
    shares = model.bias.exp()
    assert shares.sum().item() == pytest.approx(1, abs=1e-4)
    assert shares[7].item() == pytest.approx(0.9, abs=1e-4)


# -- runs ----------------------------------------------------------------------------------------


def test_one_batch_is_learned_by_heart(tokenizer):
    torch.manual_seed(0)
    model = MaskedLanguageModel(TINY)
    model.initialise(torch.ones(30_522), torch.Generator().manual_seed(0))
    ids = torch.tensor([tokenizer.encode(STORY[:60]).ids])
    corrupted, chosen = mask_tokens(
        ids, 0.3, 103, 30_522, torch.Generator().manual_seed(3), always_mask=True
    )
    sample = Sample.around(ids[chosen], None, 0, 30_522, torch.Generator())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(200):
        loss = losses_on(model, model.encoder(corrupted)[chosen], ids[chosen], sample).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05


def losses(run: Run, count: int) -> list[float]:
    return [run.step(20) for _ in range(count)]


def test_a_run_stopped_anywhere_goes_on_as_if_it_had_not_been(corpus, tokenizer, tmp_path):
    whole = Run(tmp_path / "whole", TINY, RECIPE, corpus, tokenizer)
    expected = losses(whole, 20)  # through the short phase, into the long one, down to the end
    found = []
    for part in (3, 4, 5, 8):  # stopped in each phase and on the border between two
        run = Run(tmp_path / "parts", TINY, RECIPE, corpus, tokenizer)
        found += losses(run, part)
        run.save()
    assert found == expected
    assert run.progress.tokens == whole.progress.tokens
    for ours, theirs in zip(run.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_products_in_16_bits_give_the_gradients_of_32(corpus, tokenizer, tmp_path, monkeypatch):
    short = Run(tmp_path / "16", TINY, RECIPE, corpus, tokenizer)
    found = losses(short, 1)
    monkeypatch.setattr(loop, "_in_16_bits", copy.deepcopy)
    monkeypatch.setattr(torch, "autocast", lambda *args, **kwargs: nullcontext())
    long = Run(tmp_path / "32", TINY, RECIPE, corpus, tokenizer)
    assert found == pytest.approx(losses(long, 1), rel=1e-3)
    for ours, theirs in zip(short.weights, long.weights, strict=True):
        assert ours.dtype == ours.grad.dtype == torch.float32
        if theirs.grad.norm() > 1e-6:  # a key's bias has none: softmax ignores what all keys share
            cosine = torch.cosine_similarity(ours.grad.ravel(), theirs.grad.ravel(), dim=0)
            assert cosine.item() > 0.99


def test_parts_of_a_batch_add_up_to_the_whole(corpus, tokenizer, tmp_path):
    whole = Run(tmp_path / "whole", TINY, RECIPE, corpus, tokenizer)
    parts = Run(tmp_path / "parts", TINY, RECIPE, corpus, tokenizer, parts=3)
    assert losses(parts, 3) == pytest.approx(losses(whole, 3), rel=2e-3)


def test_a_run_that_goes_on_begins_with_the_weights_it_is_given(corpus, tokenizer, tmp_path):
    before = Run(tmp_path / "before", TINY, RECIPE, corpus, tokenizer)
    losses(before, 12)
    recipe = replace(RECIPE, first=12)
    after = Run(tmp_path / "after", TINY, recipe, corpus, tokenizer)
    after.go_on_from(before.model.state_dict(), Progress(step=12, tokens=3_000, epoch=4))
    for ours, theirs in zip(after.model.parameters(), before.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert recipe.rate(12, 100) == pytest.approx(recipe.lr / 4)  # warmed up anew, over 4 steps
    new = Run(tmp_path / "new", TINY, recipe, corpus, tokenizer)
    assert losses(after, 1)[0] < losses(new, 1)[0]
    assert after.progress.step == 13
    assert after.progress.tokens > 3_000


def test_a_run_of_another_recipe_is_not_taken_up(corpus, tokenizer, tmp_path):
    Run(tmp_path, TINY, RECIPE, corpus, tokenizer).save()
    other = Recipe(seed=RECIPE.seed, lr=1e-4)
    with pytest.raises(HeadlightError, match=r"another .*lr"):
        Run(tmp_path, TINY, other, corpus, tokenizer)


def test_a_run_that_diverges_stops_in_words_and_keeps_its_checkpoint(corpus, tokenizer, tmp_path):
    run = Run(tmp_path, TINY, RECIPE, corpus, tokenizer)
    losses(run, 2)
    run.save()
    with torch.no_grad():
        run.model.bias.fill_(float("nan"))
    with pytest.raises(HeadlightError, match="The loss of step 2 is nan"):
        run.step(20)
    assert Run(tmp_path, TINY, RECIPE, corpus, tokenizer).progress.step == 2


def test_a_full_disk_leaves_the_checkpoint_before(corpus, tokenizer, tmp_path, monkeypatch):
    run = Run(tmp_path, TINY, RECIPE, corpus, tokenizer)
    losses(run, 1)
    run.save()
    losses(run, 1)

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(HeadlightError, match="is the disk full"):
        run.save()
    monkeypatch.undo()
    assert Run(tmp_path, TINY, RECIPE, corpus, tokenizer).progress.step == 1


# -- where the token table begins ----------------------------------------------------------------


def test_words_that_stand_beside_the_same_words_begin_alike():
    # Ids 1 and 2 always follow 10 and precede 11; id 3 stands between 12 and 13; 4 never occurs.
    rows = np.array([[10, 1, 11], [10, 2, 11], [12, 3, 13]] * 30, dtype=np.uint16)
    corpus = Corpus(rows.ravel(), np.arange(0, rows.size + 1, 3), np.bincount(rows.ravel()))
    vectors = word_vectors(corpus, 5, seed=0)
    assert vectors.shape == (14, 5)
    assert vectors[1] @ vectors[2] > 0.99
    assert vectors[1] @ vectors[3] < 0.2
    assert not vectors[4].any()
    np.testing.assert_allclose(np.linalg.norm(vectors[[1, 2, 3, 10]], axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(vectors, word_vectors(corpus, 5, seed=0))
