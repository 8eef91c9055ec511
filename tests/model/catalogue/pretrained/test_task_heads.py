"""Decisions of fine-tuned heads match transformers' own results."""

import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file, save_file

from model import HeadlightError, LoadedCausal, load_model
from tests.model import checkpoints, parity
from tests.model.checkpoints import HEADS, configure, refused
from tests.model.parity import CONTEXT, QUESTION


@pytest.fixture
def save(tmp_path):
    def save(family="bert", head="sequence", **settings):
        settings = {"num_labels": {"sequence": 4, "token": 5}[head], **settings}
        return checkpoints.save_head(tmp_path / "tiny", family, head, **settings)

    return save


def logits(folder, tokens):
    """The logits of transformers for the same token ids, (C,)."""
    module = HEADS["sequence"].from_pretrained(folder).eval()
    segments = torch.tensor([tokens.segment_ids])
    with torch.inference_mode():
        return module(torch.tensor([tokens.ids]), token_type_ids=segments).logits[0]


@pytest.mark.parametrize("pair", [None, CONTEXT], ids=["sentence", "pair"])
@pytest.mark.parametrize(
    ("family", "head"),
    [
        *[("bert", "sequence"), ("roberta", "token"), ("albert", "answer")],
        *[("llama", "sequence"), ("gpt2", "token"), ("gpt_neox", "answer")],
    ],
)
def test_decisions_and_weights_equal_transformers(tmp_path, family, head, pair):
    parity.check_head(family, head, tmp_path, pair)


@pytest.mark.parametrize("family", ["bert", "llama"])
def test_the_model_below_a_head_is_the_bare_model(save, tmp_path, family):
    """Of a decoder, such as those that embed texts, too: it reads and cannot write."""
    model = load_model(str(save(family)))
    assert model.stack == ("decoder" if family == "llama" else "encoder")
    ids = torch.tensor([model.tokenize(QUESTION).ids] * 2)
    both = model.task.logits(ids, torch.zeros_like(ids))  # Llama without a padding token
    assert both.shape == (2, 4) and torch.allclose(both[0], both[1], atol=1e-5)
    tiny = checkpoints.write(tmp_path / "base", model.module.base_model, checkpoints.word_piece())
    base = load_model(str(tiny))
    assert base.task is None and base.masked_lm is None and base.stack == model.stack
    assert not isinstance(base, LoadedCausal)
    assert (base.attend(QUESTION, CONTEXT).weights == model.attend(QUESTION, CONTEXT).weights).all()
    assert torch.equal(base.hidden_states(QUESTION), model.hidden_states(QUESTION))
    assert all(map(torch.equal, base.output_weights(), model.output_weights()))


# Kind of the head, and its labels.


def test_labels_are_ordered_by_number(save):
    folder = save(num_labels=12)
    configure(folder, id2label={str(i): f"class {i}" for i in reversed(range(12))})
    model = load_model(str(folder))
    assert model.task.labels == tuple(f"class {i}" for i in range(12))
    expected = logits(folder, model.tokenize("it was")).softmax(-1)
    assert_allclose(model.decide("it was").probabilities, expected.numpy(), atol=1e-6)


MULTI = {"problem_type": "multi_label_classification"}


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        (MULTI, "multi"),
        ({**MULTI, "num_labels": 1}, "multi"),  # one label is not a regression
        ({"num_labels": 1}, "regression"),
        ({"problem_type": "regression"}, "regression"),
    ],
    ids=str,
)
def test_multiple_labels_have_own_probabilities_and_a_regression_raw_values(save, settings, kind):
    folder = save(**settings)
    model = load_model(str(folder))
    decision, expected = model.decide("it was"), logits(folder, model.tokenize("it was"))
    assert decision.kind == kind
    expected = expected.sigmoid() if kind == "multi" else expected
    assert_allclose(decision.probabilities, expected, atol=5e-6)  # raw values are up to 3
    # transformers stores the kind of task in the config in training, never in inference.
    assert model.module.config.problem_type == settings.get("problem_type")


@pytest.mark.parametrize("architectures", [None, ["BertForPreTraining"]])
def test_a_checkpoint_without_a_named_head_is_an_encoder(save, architectures):
    folder = save()
    configure(folder, architectures=architectures)
    model = load_model(str(folder))
    assert model.task is None and model.attend("it was").n_layers == 2
    with pytest.raises(HeadlightError, match="has no fine-tuned head"):
        model.decide("it was")


# Broken heads.


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
        ({"architectures": "BertForSequenceClassification"}, "config.json"),
        ({"architectures": ["BertForQuestionAnswering"]}, "names 4 labels"),
    ],
    ids=str,
)
def test_a_config_that_contradicts_the_head_is_refused_in_words(save, changes, words):
    folder = save()
    configure(folder, **changes)
    assert words in refused(folder)
