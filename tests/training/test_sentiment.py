"""The fine-tuning of MiniLM on sentiment, and the shipped result."""

import re
from itertools import combinations
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from model import HeadlightError, load_model
from model.catalogue.pretrained import sentiment
from model.catalogue.pretrained.sentiment import RANK, trained_weights, with_updates
from training.sentiment import train
from training.sentiment.train import Labelled


@pytest.fixture(autouse=True)
def restore_global_state():
    """Restore the seed and the number of threads."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.set_num_threads(1)
        torch.manual_seed(0)
        yield
    torch.set_num_threads(threads)


# The sentences.


def test_every_line_is_a_label_a_tab_and_a_sentence():
    lines = train.SENTENCES.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 150
    for line in lines:
        assert re.fullmatch(r"(pos|neg)\t[A-Z][^\t]{10,110}[.!?]", line), line


def test_both_labels_are_equally_frequent_in_training_and_held_out_sentences():
    training, held_out = train.read_sentences()
    assert len(training) == 3 * len(held_out)
    for part in (training, held_out):
        assert sum(sentence.label for sentence in part) * 2 == len(part)


def test_every_fourth_line_is_held_out():
    training, held_out = train.read_sentences()
    lines = train.SENTENCES.read_text(encoding="utf-8").splitlines()
    assert [sentence.text for sentence in held_out] == [line[4:] for line in lines[3::4]]
    for sentence in (*training, *held_out):
        assert f"{('neg', 'pos')[sentence.label]}\t{sentence.text}" in lines


def test_no_two_sentences_share_most_of_their_words():
    """A held-out sentence similar to a training sentence would make the accuracy too high."""
    training, held_out = train.read_sentences()
    words = [set(re.findall(r"[a-z']+", s.text.lower())) for s in (*training, *held_out)]
    assert max(len(a & b) / len(a | b) for a, b in combinations(words, 2)) < 0.4


# The updates.


def test_updates_change_nothing_before_the_training():
    model, tokenizer = with_updates()
    inputs = tokenizer("the cat sat", return_tensors="pt")
    with torch.inference_mode():
        states = model.eval().bert(**inputs).last_hidden_state
    base = load_model("minilm")
    assert torch.equal(states, base.encode(inputs["input_ids"], inputs["token_type_ids"]))


def test_only_updates_and_classifier_are_trained():
    model, _tokenizer = with_updates()
    matrices = [
        each.weight.shape for each in model.bert.modules() if hasattr(each, "parametrizations")
    ]
    assert len(matrices) == 6 * 6 + 1  # query, key, value, output and feed-forward; the pooler
    expected = sum(RANK * (n_out + n_in) for n_out, n_in in matrices) + 2 * 384 + 2
    assert sum(each.numel() for each in trained_weights(model).values()) == expected


def test_training_lowers_the_loss_and_learns_the_sentences():
    model, tokenizer = with_updates()
    sentences = train.read_sentences()[0][:16]
    assert {sentence.label for sentence in sentences} == {0, 1}
    losses = train.train(model, tokenizer, sentences, epochs=20)
    assert len(losses) == 20
    assert losses[0] == pytest.approx(0.693, abs=0.1)  # ln 2: the untrained model guesses
    assert losses[-1] < 0.7 * losses[0]
    assert train.accuracy(model, tokenizer, sentences) > 0.9
    turned = [Labelled(text, 1 - label) for text, label in sentences]
    assert train.accuracy(model, tokenizer, turned) < 0.1


def test_the_command_writes_a_file_that_headlight_loads(tmp_path, monkeypatch, capsys):
    training, held_out = train.read_sentences()
    monkeypatch.setattr(train, "read_sentences", lambda: (training[:16], held_out[:6]))
    file = tmp_path / "sentiment.safetensors"
    assert train.main(["--out", str(file), "--seed", "3"]) == 0
    printed = capsys.readouterr().out
    assert "16 sentences to train on, 6 held out" in printed and str(file) in printed
    monkeypatch.setattr(sentiment, "SHA256", re.search("sha256 ([0-9a-f]{64})", printed)[1])
    loaded = sentiment.sentiment("other", file)
    with torch.random.fork_rng(devices=[]):
        model, tokenizer = with_updates()
    model.load_state_dict(load_file(file), strict=False)
    inputs = tokenizer(held_out[0].text, return_tensors="pt")
    with torch.inference_mode():
        logits = model.eval()(**inputs).logits[0]
    decided = loaded.decide(held_out[0].text).probabilities
    assert decided == pytest.approx(logits.softmax(-1).numpy(), abs=1e-6)


# The shipped model.


def test_the_shipped_model_decides_as_documented():
    model, held_out = load_model("minilm-sentiment"), train.read_sentences()[1]
    assert (model.task.kind, model.task.labels) == ("sequence", ("negative", "positive"))
    right = sum(model.decide(text).probabilities.argmax() == label for text, label in held_out)
    document = (Path(__file__).parents[2] / "docs/heads.md").read_text(encoding="utf-8")
    assert f"{right} of {len(held_out)} held-out sentences are right" in document
    assert model.decide("The soup was not bad at all.").probabilities.argmax() == 0  # as it says
    base, text = load_model("minilm"), held_out[0].text
    assert model.tokenize(text) == base.tokenize(text)
    assert (model.attend(text).weights != base.attend(text).weights).any()


# Errors.


def test_a_damaged_or_missing_file_is_an_error(tmp_path):
    file = tmp_path / "sentiment.safetensors"
    with pytest.raises(HeadlightError, match="are damaged"):
        sentiment.sentiment("minilm-sentiment", file)
    file.write_bytes(sentiment.FILE.read_bytes()[:-1])
    with pytest.raises(HeadlightError, match="are damaged"):
        sentiment.sentiment("minilm-sentiment", file)


def test_a_file_that_cannot_be_written_is_an_error(tmp_path, monkeypatch, capsys):
    training, held_out = train.read_sentences()
    monkeypatch.setattr(train, "read_sentences", lambda: (training[:2], held_out[:2]))
    assert train.main(["--out", str(tmp_path)]) == 1
    assert f"were not written to {tmp_path}" in capsys.readouterr().err
