import lzma

import numpy as np
import pytest
import torch

from model import load_model
from model.analysis.weight_statistics import share_at_offset
from training.encoder.measure import offset_shares, passages, resting
from training.encoder.report import at_lengths, unigram
from training.evaluate import main


def test_headings_and_marks_are_removed_and_long_lines_are_cut(tmp_path, tokenizer):
    file = tmp_path / "text.txt.xz"
    with lzma.open(file, "wt") as out:
        out.write(" = A heading = \n\n The <unk> crab @-@ like cat \n" + "one two " * 50 + "\n")
    found = passages(file, tokenizer)
    assert tokenizer.decode(found[0].tolist()) == "the crab like cat"
    assert [len(row) for row in found] == [6, 64, 40]
    assert all(row[0] == 101 and row[-1] == 102 for row in found)
    assert len(passages(file, tokenizer, 2)) == 2
    assert [len(row) for row in passages(file, tokenizer, longest=42)] == [6, 42, 42, 22]


def test_the_baseline_always_predicts_the_same_tokens():
    row = torch.tensor([101, *[2000] * 300, *[3000] * 100, *[4000] * 100, 102])
    first, both = unigram([row] * 20, (2000, 4000), 103)
    assert first == pytest.approx(0.6, abs=0.04)
    assert both == pytest.approx(0.8, abs=0.04)


def test_attention_to_neighbours_and_on_cls_is_the_mean_over_every_token(tmp_path, tokenizer):
    lines = ["The cat sat on the mat.", "It was warm there."]
    (tmp_path / "text.txt").write_text("\n".join(lines))
    model = load_model("scratch")
    rows = passages(tmp_path / "text.txt", tokenizer)
    captures = [model.attend(line) for line in lines]
    for offset, shares in zip((-1, 1), offset_shares(model, rows, (-1, 1)), strict=True):
        each = [share_at_offset(c.weights, c.special, offset) for c in captures]
        # 7 and 5 tokens have 6 and 4 pairs of neighbours.
        np.testing.assert_allclose(shares, (6 * each[0] + 4 * each[1]) / 10, atol=1e-6)
    on_cls = np.concatenate([c.weights[..., 0].mean(axis=1) for c in captures], axis=1)  # (L, T)
    np.testing.assert_allclose(resting(model, rows), on_cls.mean(axis=1), atol=1e-6)


def test_longer_passages_are_measured_separately_at_equal_length(tmp_path, tokenizer):
    file = tmp_path / "text.txt"
    file.write_text("one two three four " * 20 + "\n" + "A short line of words.\n")
    model = load_model("scratch")
    found = list(at_lengths(model, file, -1, (12, 82, 500)))
    assert [(longest, count) for longest, count, _ in found] == [(12, 8), (82, 1)]
    (row,) = (row for row in passages(file, tokenizer, longest=82) if len(row) == 82)
    np.testing.assert_allclose(found[1][2], offset_shares(model, [row], (-1,))[0])


def test_the_command_prints_the_measurements_and_the_relations(tmp_path, capsys):
    file = tmp_path / "text.txt"
    file.write_text("The old doctor walked to the door.\n" * 5)
    assert main(["--text", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "of 5 passages" in printed
    assert "Most attention to the previous token: L1·H10" in printed
    assert "| det | head to dependent | L3·H1 | 88.2% | 61.2% (-1) | 919 |" in printed
