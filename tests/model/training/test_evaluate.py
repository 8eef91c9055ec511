"""Measuring on held-out text: what is read, what is masked, and the baseline beside it."""

import lzma

import numpy as np
import pytest
import torch

from model import HeadlightError, load_model
from model.catalogue.models import bert_tokenizer
from model.training.evaluate import load, passages, resting, unigram


@pytest.fixture(scope="module")
def tokenizer():
    return bert_tokenizer()


def test_marks_and_headings_are_taken_out_and_long_lines_cut(tmp_path, tokenizer):
    file = tmp_path / "text.txt.xz"
    with lzma.open(file, "wt") as out:
        out.write(" = A heading = \n\n The <unk> crab @-@ like cat \n" + "one two " * 50 + "\n")
    found = passages(file, tokenizer, 10)
    assert tokenizer.decode(found[0].tolist()) == "the crab like cat"
    assert [len(row) for row in found] == [6, 64, 40]
    assert all(row[0] == 101 and row[-1] == 102 for row in found)
    assert len(passages(file, tokenizer, 2)) == 2


def test_the_baseline_always_guesses_the_same_tokens():
    row = torch.tensor([101, *[2000] * 300, *[3000] * 100, *[4000] * 100, 102])
    first, both = unigram([row] * 20, (2000, 4000), 103)
    assert first == pytest.approx(0.6, abs=0.04)
    assert both == pytest.approx(0.8, abs=0.04)


def test_heads_that_rest_on_cls_are_told_layer_by_layer(tmp_path):
    file = tmp_path / "text.txt"
    lines = ["The cat sat on the mat.", "It was warm there."]
    file.write_text("\n".join(lines))
    model = load_model("scratch-untrained")
    on_cls = [model.attend(line).weights[..., 0].mean(axis=(1, 2)) for line in lines]
    expected = np.mean(on_cls, axis=0)
    np.testing.assert_allclose(resting(model, file, 5), expected, atol=1e-6)


def test_what_cannot_be_read_is_said_in_words(tmp_path, tokenizer):
    broken = tmp_path / "text.txt.xz"
    broken.write_bytes(b"no xz")
    for file in (broken, tmp_path / "gone.txt"):
        with pytest.raises(HeadlightError, match="cannot be read"):
            passages(file, tokenizer, 3)
    with pytest.raises(HeadlightError, match="holds no weights"):
        load(broken)
