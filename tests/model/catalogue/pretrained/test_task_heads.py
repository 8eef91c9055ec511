"""Decisions of fine-tuned heads match transformers' own results."""

from itertools import product

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification

from model import HeadlightError, load_model
from tests.model import checkpoints
from tests.model.checkpoints import FAMILIES, HEADS, configure

QUESTION = "was it the animal?"
CONTEXT = "the animal was too tired, it slept"
WITH_SEGMENTS = ("bert", "electra", "albert")


@pytest.fixture(scope="module", params=product(FAMILIES, HEADS), ids="-".join)
def case(request, save):
    """A family's checkpoint with a head: its folder, and the loaded model."""
    family, head = request.param
    folder = save(family, head)
    return family, head, folder, load_model(str(folder))


def theirs(head, folder, tokens, with_segments=True):
    """The result of transformers for the same token ids."""
    module = HEADS[head].from_pretrained(folder, attn_implementation="eager").eval()
    inputs = {"input_ids": torch.tensor([tokens.ids])}
    if with_segments:
        inputs["token_type_ids"] = torch.tensor([tokens.segment_ids])
    with torch.inference_mode():
        return module(**inputs, output_attentions=True)


@pytest.mark.parametrize("pair", [None, CONTEXT], ids=["sentence", "pair"])
def test_decisions_are_the_softmax_of_transformers_logits(case, pair):
    family, head, folder, model = case
    decision = model.decide(QUESTION, pair)
    tokens = model.tokenize(QUESTION, pair)
    output = theirs(head, folder, tokens, family in WITH_SEGMENTS)
    if head == "answer":
        expected = torch.stack([output.start_logits[0].softmax(0), output.end_logits[0].softmax(0)])
        expected = expected.T
        shape = (len(tokens.ids), 2)
    else:
        expected = output.logits[0].softmax(-1)
        shape = (4,) if head == "sequence" else (len(tokens.ids), 5)
    assert decision.kind == model.task.kind == head
    assert decision.probabilities.dtype == np.float32
    assert decision.probabilities.shape == shape
    assert_allclose(decision.probabilities, expected.numpy(), atol=1e-6)
    assert decision.probabilities.std() > 0.001  # uneven enough to show errors


def test_the_attention_under_a_head_is_the_encoders(case, tmp_path):
    family, head, folder, model = case
    capture = model.attend(QUESTION, CONTEXT)
    output = theirs(head, folder, model.tokenize(QUESTION, CONTEXT), family in WITH_SEGMENTS)
    assert_allclose(capture.weights, torch.cat(output.attentions).numpy(), atol=1e-6)

    tokenizer = checkpoints.TOKENIZERS.get(family, checkpoints.word_piece)()
    base = load_model(str(checkpoints.write(tmp_path / "base", model.module.base_model, tokenizer)))
    assert base.task is None and base.masked_lm is None
    assert (base.attend(QUESTION, CONTEXT).weights == capture.weights).all()
    assert torch.equal(base.hidden_states(QUESTION), model.hidden_states(QUESTION))
    assert (model.n_layers, model.d_model, model.max_len) == (
        base.n_layers,
        base.d_model,
        base.max_len,
    )
    assert all(map(torch.equal, base.output_weights(), model.output_weights()))


# Kind of the head, and its labels.


def test_labels_are_ordered_by_number(save):
    folder = save(num_labels=12)
    configure(folder, id2label={str(i): f"class {i}" for i in reversed(range(12))})
    model = load_model(str(folder))
    assert model.task.labels == tuple(f"class {i}" for i in range(12))
    expected = theirs("sequence", folder, model.tokenize("it was")).logits[0].softmax(-1)
    assert_allclose(model.decide("it was").probabilities, expected.numpy(), atol=1e-6)


@pytest.mark.parametrize("n_labels", [4, 1])  # one label is not a regression
def test_multiple_labels_have_independent_probabilities(save, n_labels):
    folder = save(num_labels=n_labels, problem_type="multi_label_classification")
    decision = load_model(str(folder)).decide("it was")
    logits = theirs("sequence", folder, load_model(str(folder)).tokenize("it was")).logits[0]
    assert decision.kind == "multi"
    assert_allclose(decision.probabilities, 1 / (1 + np.exp(-logits.numpy())), atol=1e-6)


@pytest.mark.parametrize("settings", [{"num_labels": 1}, {"problem_type": "regression"}], ids=str)
def test_a_regression_returns_raw_values(save, settings):
    folder = save(**settings)
    model = load_model(str(folder))
    decision = model.decide("it was")
    assert decision.kind == "regression"
    expected = theirs("sequence", folder, model.tokenize("it was")).logits[0]
    assert decision.probabilities.shape == (settings.get("num_labels", 4),)
    assert_allclose(decision.probabilities, expected.numpy(), atol=1e-6)


@pytest.mark.parametrize("architectures", [None, [], ["BertModel"], ["BertForPreTraining"]])
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


def test_a_decision_does_not_change_the_configuration(save):
    """transformers stores the kind of task in the config in training, never in inference."""
    folder = save()
    model = load_model(str(folder))
    model.decide("it was")
    module = AutoModelForSequenceClassification.from_pretrained(folder)
    assert model.module.config.problem_type == module.config.problem_type


# Broken heads.


def refused(folder) -> str:
    with pytest.raises(HeadlightError) as error:
        load_model(str(folder))
    assert str(folder) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("head", "missing"),
    [
        ("sequence", "classifier.weight"),
        ("sequence", "bert.pooler.dense.bias"),  # optional for an encoder, required for a head
        ("token", "classifier.bias"),
        ("answer", "qa_outputs.weight"),
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
        ({"id2label": {"zero": "no", "1": "yes", "2": "so", "3": "or"}}, "config.json"),
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
