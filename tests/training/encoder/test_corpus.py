import numpy as np
import pytest

from model import HeadlightError
from training.encoder.corpus import (
    Packing,
    batches,
    load_corpus,
    sentences,
    sequences,
    training_files,
)


def test_sentences_end_at_sentence_marks(folder):
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
    with pytest.raises(HeadlightError, match=r"wikitext2_valid\.txt\.xz is held-out"):
        load_corpus([folder / "wikitext2_valid.txt.xz"], tokenizer, folder / "other")


def test_a_missing_or_corrupt_file_is_named_in_words(folder, tokenizer):
    with pytest.raises(HeadlightError, match=r"gone\.txt\.xz is missing"):
        load_corpus([folder / "gone.txt.xz"], tokenizer, folder / "other")
    broken = folder / "se_broken.txt.xz"
    broken.write_bytes((folder / "se_b.txt.xz").read_bytes()[:200])
    with pytest.raises(HeadlightError, match=r"se_broken\.txt\.xz is damaged"):
        load_corpus([broken], tokenizer, folder / "other")
    with pytest.raises(HeadlightError, match="has no corpus"):
        training_files(folder / "cache")


def test_each_batch_has_sequences_of_one_length_within_the_limits(corpus):
    packing = Packing(5, 20, 0.35, 256)
    found = batches(corpus, packing, 3, 0)
    for batch in found:
        lengths = batch[:, 1] - batch[:, 0]
        assert len(set(lengths.tolist())) == 1
        assert 3 <= lengths[0] <= 20
        assert len(batch) * (lengths[0] + 2) <= 256
    spans = np.concatenate(found)
    order = spans[spans[:, 0].argsort()]
    assert (order[1:, 0] >= order[:-1, 1]).all()  # no token is used twice in an epoch
    assert (spans[:, 1] - spans[:, 0]).sum() > 0.95 * len(corpus.ids)
    again, epoch, seed = (
        np.concatenate(batches(corpus, packing, *which)).tolist()
        for which in ((3, 0), (3, 1), (4, 0))
    )
    assert spans.tolist() == again
    assert epoch != again != seed


def test_sequences_are_the_text_between_special_tokens(corpus, tokenizer):
    batch = np.array([[0, 7], [7, 14]])
    ids = sequences(corpus, batch, 101, 102)
    assert tokenizer.decode(ids[0].tolist(), skip_special_tokens=False) == (
        "[CLS] the cat sat on the mat. [SEP]"
    )
    assert ids.shape == (2, 9)
