"""The example of fine-tuning works as its README describes."""

import re
from itertools import combinations

import pytest
import torch
from safetensors import SafetensorError
from transformers import BertForSequenceClassification
from transformers.utils import logging as transformers_logging

from examples.sentiment import finetune
from examples.sentiment.finetune import Sentence
from model import HeadlightError, load_model


@pytest.fixture(autouse=True)
def restore_global_state():
    """Restore the seed, the number of threads and the log level of transformers."""
    verbosity, threads = transformers_logging.get_verbosity(), torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.set_num_threads(1)
        torch.manual_seed(0)
        yield
    transformers_logging.set_verbosity(verbosity)
    torch.set_num_threads(threads)


# The sentences.


def test_every_line_is_a_label_a_tab_and_a_sentence():
    lines = finetune.SENTENCES.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 150
    for line in lines:
        assert re.fullmatch(r"(pos|neg)\t[A-Z][^\t]{10,110}[.!?]", line), line


def test_both_labels_are_equally_frequent_in_training_and_held_out_sentences():
    training, held_out = finetune.read_sentences()
    assert len(training) == 3 * len(held_out)
    for part in (training, held_out):
        assert sum(sentence.label for sentence in part) * 2 == len(part)


def test_every_fourth_line_is_held_out():
    training, held_out = finetune.read_sentences()
    lines = finetune.SENTENCES.read_text(encoding="utf-8").splitlines()
    assert [sentence.text for sentence in held_out] == [line[4:] for line in lines[3::4]]
    for sentence in (*training, *held_out):
        assert f"{('neg', 'pos')[sentence.label]}\t{sentence.text}" in lines


def test_no_two_sentences_share_most_of_their_words():
    """A held-out sentence similar to a training sentence would make the accuracy too high."""
    training, held_out = finetune.read_sentences()
    words = [set(re.findall(r"[a-z']+", s.text.lower())) for s in (*training, *held_out)]
    assert max(len(a & b) / len(a | b) for a, b in combinations(words, 2)) < 0.4


# Fine-tuning.


def test_training_lowers_the_loss_and_learns_the_sentences():
    model, tokenizer = finetune.with_new_head()
    sentences = finetune.read_sentences()[0][:16]
    assert {sentence.label for sentence in sentences} == {0, 1}
    losses = finetune.train(model, tokenizer, sentences, epochs=8)
    assert len(losses) == 8
    assert losses[0] == pytest.approx(0.693, abs=0.1)  # ln 2: the untrained model guesses
    assert losses[-1] < 0.7 * losses[0]
    assert finetune.accuracy(model, tokenizer, sentences) > 0.9
    turned = [Sentence(text, 1 - label) for text, label in sentences]
    assert finetune.accuracy(model, tokenizer, turned) < 0.1


def test_headlight_opens_the_saved_model_and_shows_its_decision(tmp_path, monkeypatch, capsys):
    training, held_out = finetune.read_sentences()
    trained_on = []
    train = finetune.train
    monkeypatch.setattr(finetune, "read_sentences", lambda: (training[:16], held_out[:6]))
    monkeypatch.setattr(finetune, "train", lambda *args: trained_on.extend(args[2]) or train(*args))
    folder = tmp_path / "new" / "sentiment"
    assert finetune.main(["--out", str(folder), "--seed", "3"]) == 0
    assert trained_on == training[:16]
    printed = capsys.readouterr().out
    assert "16 sentences to train on, 6 held out" in printed and str(folder) in printed
    assert len(re.findall(r"\d+%", printed)) == 2

    model = load_model(str(folder))
    assert (model.task.kind, model.task.labels) == ("sequence", ("negative", "positive"))
    text = held_out[0].text
    decision = model.decide(text)
    reference = BertForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        logits = reference(torch.tensor([model.tokenize(text).ids])).logits[0]
    assert decision.probabilities == pytest.approx(logits.softmax(-1).numpy(), abs=1e-6)
    base = load_model("minilm")
    assert model.tokenize(text) == base.tokenize(text)
    # The training changed the weights.
    assert (model.attend(text).weights != base.attend(text).weights).any()


# Errors.


def error_of(out, capsys) -> str:
    assert finetune.main(["--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and str(out) in printed.err
    return printed.err


def test_a_folder_that_is_not_empty_is_an_error_and_stays_unchanged(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    assert "is not empty" in error_of(tmp_path, capsys)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_a_folder_that_cannot_be_created_is_an_error_before_the_training(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(finetune, "with_new_head", pytest.fail)
    (tmp_path / "file").write_text("mine")
    assert "cannot be written to" in error_of(tmp_path / "file", capsys)
    assert "cannot be written to" in error_of(tmp_path / "file" / "folder", capsys)


def test_a_folder_on_a_full_disk_is_an_error_before_the_training(tmp_path, capsys, monkeypatch):
    def full(**options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(finetune, "with_new_head", pytest.fail)
    monkeypatch.setattr(finetune.tempfile, "TemporaryFile", full)
    assert "No space left on device" in error_of(tmp_path, capsys)


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), SafetensorError("No space left on device")]
)
def test_a_full_disk_during_the_saving_is_an_error(tmp_path, error):
    class Full:
        def save_pretrained(self, folder):
            raise error

    with pytest.raises(HeadlightError, match=r"written to .*: No space left on device\.$"):
        finetune.save(Full(), Full(), tmp_path)


def test_zero_threads_are_an_error(tmp_path, capsys):
    with pytest.raises(SystemExit):
        finetune.main(["--out", str(tmp_path / "new"), "--threads", "0"])
    assert "at least 1" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
