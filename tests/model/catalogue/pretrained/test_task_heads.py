"""Decisions of fine-tuned heads match transformers' own results."""

import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file, save_file

from model import HeadlightError, load_model
from tests.model import checkpoints, parity
from tests.model.checkpoints import HEADS, configure
from tests.model.parity import CONTEXT, QUESTION


def logits(folder, tokens):
    """The logits of transformers for the same token ids, (C,)."""
    module = HEADS["sequence"].from_pretrained(folder).eval()
    segments = torch.tensor([tokens.segment_ids])
    with torch.inference_mode():
        return module(torch.tensor([tokens.ids]), token_type_ids=segments).logits[0]


@pytest.mark.parametrize("pair", [None, CONTEXT], ids=["sentence", "pair"])
@pytest.mark.parametrize(
    ("family", "head"), [("bert", "sequence"), ("roberta", "token"), ("albert", "answer")]
)
def test_decisions_and_weights_equal_transformers(tmp_path, family, head, pair):
    parity.check_head(family, head, tmp_path, pair)


def test_the_encoder_below_a_head_is_the_bare_encoder(save, tmp_path):
    model = load_model(str(save()))
    tiny = checkpoints.write(tmp_path / "base", model.module.base_model, checkpoints.word_piece())
    base = load_model(str(tiny))
    assert base.task is None and base.masked_lm is None
    assert (base.attend(QUESTION, CONTEXT).weights == model.attend(QUESTION, CONTEXT).weights).all()
    assert torch.equal(base.hidden_states(QUESTION), model.hidden_states(QUESTION))
    sizes = [(each.n_layers, each.d_model, each.max_len) for each in (base, model)]
    assert sizes[0] == sizes[1]
    assert all(map(torch.equal, base.output_weights(), model.output_weights()))


# Kind of the head, and its labels.


def test_labels_are_ordered_by_number(save):
    folder = save(num_labels=12)
    configure(folder, id2label={str(i): f"class {i}" for i in reversed(range(12))})
    model = load_model(str(folder))
    assert model.task.labels == tuple(f"class {i}" for i in range(12))
    expected = logits(folder, model.tokenize("it was")).softmax(-1)
    assert_allclose(model.decide("it was").probabilities, expected.numpy(), atol=1e-6)


@pytest.mark.parametrize("n_labels", [4, 1])  # one label is not a regression
def test_multiple_labels_have_independent_probabilities(save, n_labels):
    folder = save(num_labels=n_labels, problem_type="multi_label_classification")
    model = load_model(str(folder))
    decision = model.decide("it was")
    assert decision.kind == "multi"
    expected = logits(folder, model.tokenize("it was")).sigmoid()
    assert_allclose(decision.probabilities, expected, atol=1e-6)
    # transformers stores the kind of task in the config in training, never in inference.
    assert model.module.config.problem_type == "multi_label_classification"


@pytest.mark.parametrize("settings", [{"num_labels": 1}, {"problem_type": "regression"}], ids=str)
def test_a_regression_returns_raw_values(save, settings):
    folder = save(**settings)
    model = load_model(str(folder))
    decision = model.decide("it was")
    assert decision.kind == "regression"
    expected = logits(folder, model.tokenize("it was"))
    assert decision.probabilities.shape == (settings.get("num_labels", 4),)
    assert_allclose(decision.probabilities, expected.numpy(), atol=1e-6)


@pytest.mark.parametrize("architectures", [None, [], ["BertForPreTraining"]])
def test_a_checkpoint_without_a_named_head_is_an_encoder(save, architectures):
    folder = save()
    configure(folder, architectures=architectures)
    model = load_model(str(folder))
    assert model.task is None and model.attend("it was").n_layers == 2
    with pytest.raises(HeadlightError, match="has no fine-tuned head") as error:
        model.decide("it was")
    assert str(folder) in str(error.value)


def test_a_long_text_is_cut_at_the_models_limit(save):
    model = load_model(str(save(head="token")))
    assert model.decide("the " * 100).probabilities.shape == (48, 5)


# Broken heads.


def refused(folder) -> str:
    with pytest.raises(HeadlightError) as error:
        load_model(str(folder))
    assert str(folder) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("head", "missing"),
    [
        ("token", "classifier.weight"),
        ("sequence", "bert.pooler.dense.bias"),  # optional for an encoder, required for a head
    ],
)
def test_a_missing_part_of_a_head_is_named_and_not_initialised_at_random(save, head, missing):
    folder = save(head=head)
    weights = load_file(folder / "model.safetensors")
    del weights[missing]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    sentence = refused(folder)
    assert "1 are missing" in sentence and missing in sentence


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id2label": {"0": "no", "1": "yes"}}, "does not fit its config.json"),
        ({"id2label": ["no", "yes", "so", "or"]}, "config.json"),
        ({"architectures": 5}, "config.json"),
        ({"architectures": "BertForSequenceClassification"}, "config.json"),
        ({"architectures": ["BertForQuestionAnswering"]}, "names 4 labels"),
    ],
    ids=str,
)
def test_a_config_that_contradicts_the_head_is_refused_in_words(save, changes, words):
    folder = save()
    configure(folder, **changes)
    assert words in refused(folder)
