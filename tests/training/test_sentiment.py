import re
from pathlib import Path

import pytest
import torch

from model import HeadlightError, load_model
from model.catalogue.pretrained import sentiment
from model.catalogue.pretrained.sentiment import RANK, trained_weights, with_updates
from training.sentiment import train
from training.sentiment.train import Labelled


@pytest.fixture(autouse=True)
def restore_global_state():
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.set_num_threads(1)
        yield
    torch.set_num_threads(threads)


def test_only_updates_and_classifier_are_trained():
    model, tokenizer = with_updates()
    inputs = tokenizer("the cat sat", return_tensors="pt")
    with torch.inference_mode():
        states = model.eval().bert(**inputs).last_hidden_state
    base = load_model("minilm")  # the updates change nothing before the training
    assert torch.equal(states, base.encode(inputs["input_ids"], inputs["token_type_ids"]))
    matrices = [
        each.weight.shape for each in model.bert.modules() if hasattr(each, "parametrizations")
    ]
    assert len(matrices) == 6 * 6 + 1  # query, key, value, output and feed-forward; the pooler
    expected = sum(RANK * (n_out + n_in) for n_out, n_in in matrices) + 2 * 384 + 2
    assert sum(each.numel() for each in trained_weights(model).values()) == expected


def test_the_command_trains_and_writes_a_file_that_headlight_loads(tmp_path, monkeypatch, capsys):
    training, held_out = train.read_sentences()
    training.sort(key=lambda sentence: len(sentence.text))
    few = [each for label in (0, 1) for each in [s for s in training if s.label == label][:4]]
    monkeypatch.setattr(train, "read_sentences", lambda: (few, held_out[:2]))
    trained, own = [], train.train

    def few_epochs(model, tokenizer, sentences):
        trained.append((own(model, tokenizer, sentences, epochs=12), model, tokenizer))
        return trained[-1][0]

    monkeypatch.setattr(train, "train", few_epochs)
    file = tmp_path / "sentiment.safetensors"
    assert train.main(["--out", str(file), "--seed", "3"]) == 0
    printed = capsys.readouterr().out
    assert "8 sentences to train on, 2 held out" in printed and str(file) in printed
    ((losses, model, tokenizer),) = trained
    assert len(losses) == 12
    assert losses[0] == pytest.approx(0.693, abs=0.1)  # ln 2: the untrained model guesses
    assert losses[-1] < 0.7 * losses[0]
    assert train.accuracy(model, tokenizer, few) > 0.8
    turned = [Labelled(text, 1 - label) for text, label in few]
    assert train.accuracy(model, tokenizer, turned) < 0.2
    monkeypatch.setattr(sentiment, "SHA256", re.search("sha256 ([0-9a-f]{64})", printed)[1])
    loaded = sentiment.sentiment("other", file)
    inputs = tokenizer(held_out[0].text, return_tensors="pt")
    with torch.inference_mode():
        logits = model.eval()(**inputs).logits[0]
    decided = loaded.decide(held_out[0].text).probabilities
    assert decided == pytest.approx(logits.softmax(-1).numpy(), abs=1e-6)
    monkeypatch.setattr(train, "train", lambda *_: [0.5])
    assert train.main(["--out", str(tmp_path)]) == 1
    assert f"were not written to {tmp_path}" in capsys.readouterr().err


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


def test_a_damaged_or_missing_file_is_an_error(tmp_path):
    file = tmp_path / "sentiment.safetensors"
    for _ in range(2):
        with pytest.raises(HeadlightError, match="differs from the published"):
            sentiment.sentiment("minilm-sentiment", file)
        file.write_bytes(sentiment.FILE.read_bytes()[:-1])
