"""What a fine-tuned head decides is what transformers itself computes."""

import json
from itertools import product

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification

from model import HeadlightError, load_model
from model.capture.tokens import Tokens
from model.catalogue.tasks import LONGEST_ANSWER, Task, to_decision
from tests.model import checkpoints
from tests.model.checkpoints import FAMILIES, HEADS

QUESTION = "was it the animal?"
CONTEXT = "the animal was too tired, it slept"
N_LABELS = {"sequence": 4, "token": 5, "answer": 2}
WITH_SEGMENTS = ("bert", "electra", "albert")


@pytest.fixture(scope="module")
def save(tmp_path_factory):
    def save(family="bert", head="sequence", **settings):
        folder = tmp_path_factory.mktemp("head") / f"{family}-{head}"
        settings = {"num_labels": N_LABELS[head], **settings}
        return checkpoints.save_head(folder, family, head, **settings)

    return save


@pytest.fixture(scope="module", params=product(FAMILIES, HEADS), ids="-".join)
def case(request, save):
    """A family's checkpoint with a head: its folder, and what Headlight makes of it."""
    family, head = request.param
    folder = save(family, head)
    return family, head, folder, load_model(str(folder))


def theirs(head, folder, tokens, with_segments=True):
    """What transformers computes by itself, from the same token ids."""
    module = HEADS[head].from_pretrained(folder, attn_implementation="eager").eval()
    inputs = {"input_ids": torch.tensor([tokens.ids])}
    if with_segments:
        inputs["token_type_ids"] = torch.tensor([tokens.segment_ids])
    with torch.inference_mode():
        return module(**inputs, output_attentions=True)


@pytest.mark.parametrize("pair", [None, CONTEXT], ids=["sentence", "pair"])
def test_decisions_are_the_softmax_of_transformers_own_logits(case, pair):
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
    assert decision.probabilities.std() > 0.001  # uneven enough for a mistake to show


def test_the_attention_under_a_head_is_the_encoders_own(case, tmp_path):
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


# What kind of head it is, and its labels.


def test_labels_without_names_keep_their_numbers(save):
    labels = ("LABEL_0", "LABEL_1", "LABEL_2", "LABEL_3")
    model = load_model(str(save()))
    assert model.task.labels == model.decide("it was").labels == labels


def test_labels_stand_in_the_order_of_their_numbers_not_of_the_file(save):
    folder = save(num_labels=12)
    configure(folder, id2label={str(i): f"class {i}" for i in reversed(range(12))})
    model = load_model(str(folder))
    assert model.task.labels == tuple(f"class {i}" for i in range(12))
    expected = theirs("sequence", folder, model.tokenize("it was")).logits[0].softmax(-1)
    assert_allclose(model.decide("it was").probabilities, expected.numpy(), atol=1e-6)


def test_several_labels_at_once_have_a_probability_each(save):
    folder = save(problem_type="multi_label_classification")
    decision = load_model(str(folder)).decide("it was")
    logits = theirs("sequence", folder, load_model(str(folder)).tokenize("it was")).logits[0]
    assert decision.kind == "multi"
    assert_allclose(decision.probabilities, 1 / (1 + np.exp(-logits.numpy())), atol=1e-6)


@pytest.mark.parametrize("settings", [{"num_labels": 1}, {"problem_type": "regression"}], ids=str)
def test_a_regression_gives_its_values_as_they_are(save, settings):
    folder = save(**settings)
    model = load_model(str(folder))
    decision = model.decide("it was")
    assert decision.kind == "regression"
    expected = theirs("sequence", folder, model.tokenize("it was")).logits[0]
    assert decision.probabilities.shape == (settings.get("num_labels", 4),)
    assert_allclose(decision.probabilities, expected.numpy(), atol=1e-6)


def test_one_label_of_many_that_may_hold_is_no_regression(save):
    model = load_model(str(save(num_labels=1, problem_type="multi_label_classification")))
    assert model.decide("it was").kind == "multi"


@pytest.mark.parametrize("architectures", [None, [], ["BertModel"], ["BertForPreTraining"]])
def test_what_is_not_said_to_have_a_head_is_an_encoder(save, architectures):
    folder = save()
    configure(folder, architectures=architectures)
    model = load_model(str(folder))
    assert model.task is None and model.attend("it was").n_layers == 2
    with pytest.raises(HeadlightError, match="was not fine-tuned to decide anything") as error:
        model.decide("it was")
    assert str(folder) in str(error.value)


def test_a_masked_language_head_decides_nothing(tmp_path):
    model = load_model(str(checkpoints.save_masked_lm(tmp_path / "tiny")))
    assert model.masked_lm is not None and model.task is None


def test_a_classifier_fills_no_masks(save):
    with pytest.raises(HeadlightError, match="no masked-language head"):
        load_model(str(save())).predict("it was [MASK]")


def test_without_text_there_is_nothing_to_decide(save):
    with pytest.raises(HeadlightError, match="no text"):
        load_model(str(save())).decide(" ")


def test_a_long_text_is_cut_off_where_the_model_ends(save):
    model = load_model(str(save(head="token")))
    assert model.decide("the " * 100).probabilities.shape == (48, 5)


# Heads that are broken.


def configure(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


def refused(folder) -> str:
    with pytest.raises(HeadlightError) as error:
        load_model(str(folder))
    assert str(folder) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("head", "missing"),
    [
        ("sequence", "classifier.weight"),
        ("sequence", "bert.pooler.dense.bias"),  # the one that an encoder alone can do without
        ("token", "classifier.bias"),
        ("answer", "qa_outputs.weight"),
    ],
)
def test_a_missing_part_of_a_head_is_named_instead_of_drawn_at_random(save, head, missing):
    folder = save(head=head)
    weights = load_file(folder / "model.safetensors")
    del weights[missing]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    sentence = refused(folder)
    assert "1 are missing" in sentence and missing in sentence


def test_an_encoder_that_says_it_has_a_head_is_refused(tmp_path):
    folder = checkpoints.save("bert", tmp_path / "tiny")
    configure(folder, architectures=["BertForTokenClassification"])
    assert "2 are missing, classifier.bias among them" in refused(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id2label": {"0": "no", "1": "yes"}}, "of another size"),
        ({"id2label": {"zero": "no", "1": "yes", "2": "so", "3": "or"}}, "config.json"),
        ({"id2label": ["no", "yes", "so", "or"]}, "config.json"),
        ({"architectures": 5}, "config.json"),
        ({"architectures": "BertForSequenceClassification"}, "config.json"),
        ({"architectures": ["BertForQuestionAnswering"]}, "names 4 labels"),
    ],
    ids=str,
)
def test_a_config_that_does_not_fit_the_head_is_refused_in_words(save, changes, words):
    folder = save()
    configure(folder, **changes)
    assert words in refused(folder)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_has_a_start_and_an_end_and_nothing_else(save, family):
    folder = save(family, "answer")
    configure(folder, id2label={"0": "start", "1": "end", "2": "other"})
    assert "names 3 labels" in refused(folder)


# Answers.


def tokens_of(question: str, context: str) -> Tokens:
    """Words of two sentences, numbered, with special tokens around them as BERT has them."""
    rows = [("[CLS]", (0, 0), None, 0)]
    for segment, text in enumerate((question, context)):
        end = 0
        for number, word in enumerate(text.split()):
            start = text.index(word, end)
            end = start + len(word)
            rows.append((word, (start, end), number, segment))
        if text:
            rows.append(("[SEP]", (0, 0), None, segment))
    pieces, offsets, words, segments = zip(*rows, strict=True)
    return Tokens(pieces, (0,) * len(rows), offsets, words, segments)


def answer(logits, question, context=""):
    task = Task("answer", ("start", "end"), lambda ids, segments: logits)
    return to_decision(task, logits, tokens_of(question, context), (question, context)).answer


def logits_with(n_tokens, starts, ends):
    """Logits of 0, but for some tokens' start and some tokens' end."""
    logits = torch.zeros(n_tokens, 2)
    for column, values in enumerate((starts, ends)):
        for position, value in values.items():
            logits[position, column] = value
    return logits


def test_the_answer_is_cut_out_of_the_second_sentence():
    #  0     1   2   3     4   5   6    7   8  9
    # [CLS] who sat [SEP] the old cat sat .  [SEP]
    found = answer(logits_with(10, {5: 4.0}, {6: 3.0}), "who sat", "the  old cat sat .")
    assert (found.text, found.first, found.last) == ("old cat", 5, 6)
    start = np.exp(4) / (np.exp(4) + 9)
    end = np.exp(3) / (np.exp(3) + 9)
    assert found.probability == pytest.approx(start * end, rel=1e-5)


@pytest.mark.parametrize("trap", [0, 1, 3, 9], ids=["CLS", "question", "SEP", "last SEP"])
def test_special_tokens_and_the_question_are_no_answer(trap):
    logits = logits_with(10, {trap: 50.0, 5: 4.0}, {trap: 50.0, 6: 3.0})
    assert answer(logits, "who sat", "the old cat sat .").text == "old cat"


def test_an_answer_does_not_end_before_it_starts():
    logits = logits_with(10, {4: 2.0, 7: 5.0}, {4: 5.0, 8: 1.0})  # from 7 to 4 would be 10
    found = answer(logits, "who sat", "the old cat sat .")
    assert (found.first, found.last) == (4, 4)  # 7, and from 7 to 8 6
    logits[4, 0] = 0.5
    found = answer(logits, "who sat", "the old cat sat .")
    assert (found.first, found.last) == (7, 8)


def test_an_answer_of_thirty_tokens_is_found_and_a_longer_one_is_not():
    text = " ".join(f"w{i}" for i in range(40))  # its first word is token 1
    assert LONGEST_ANSWER == 30
    assert answer(logits_with(42, {3: 9.0}, {32: 9.0, 4: 1.0}), text).text.split()[::29] == [
        "w2",
        "w31",
    ]
    assert answer(logits_with(42, {3: 9.0}, {33: 9.0, 4: 1.0}), text).text == "w2 w3"


def test_without_a_second_sentence_the_answer_stands_in_the_first():
    assert answer(logits_with(5, {2: 3.0}, {3: 3.0}), "the old cat").text == "old cat"


def test_a_certain_no_answer_still_leaves_a_best_span():
    """Every span's probability is 0 in float32, and yet one is the best."""
    found = answer(logits_with(5, {0: 300.0, 2: 3.0}, {0: 300.0, 3: 3.0}), "the old cat")
    assert (found.text, found.probability) == ("old cat", 0.0)


def test_a_second_sentence_that_the_vocabulary_makes_nothing_of_holds_no_answer():
    """Of control characters, say, which BERT's normaliser takes out."""
    tokens = Tokens(
        ("[CLS]", "who", "[SEP]", "[SEP]"),
        (2, 7, 3, 3),
        ((0, 0), (0, 3), (0, 0), (0, 0)),
        (None, 0, None, None),
        (0, 0, 0, 1),
    )
    task = Task("answer", ("start", "end"), lambda ids, segments: torch.zeros(1, 4, 2))
    decision = to_decision(task, torch.zeros(4, 2), tokens, ("who", "\x00"))
    assert decision.answer is None
    assert_allclose(decision.probabilities, 0.25)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_best_span_is_the_best_of_all(save, family):
    """Against every pair of a start and an end, for every way to tokenise."""
    model = load_model(str(save(family, "answer")))
    decision, tokens = model.decide(QUESTION, CONTEXT), model.tokenize(QUESTION, CONTEXT)
    context = [
        i
        for i, (word, segment) in enumerate(zip(tokens.word_ids, tokens.segment_ids, strict=True))
        if word is not None and segment == 1
    ]
    start, end = decision.probabilities.T
    spans = {(i, j): start[i] * end[j] for i in context for j in context if i <= j < i + 30}
    (first, last), probability = max(spans.items(), key=lambda item: item[1])
    span = decision.answer
    assert (span.first, span.last) == (first, last)
    assert span.probability == pytest.approx(float(probability), rel=1e-5)
    covered = CONTEXT[tokens.offsets[first][0] : tokens.offsets[last][1]]
    assert span.text == covered.strip() and span.text


def test_attention_and_decision_are_about_the_same_tokens(save):
    """A page writes each token's label under it."""
    model = load_model(str(save(head="token")))
    assert len(model.decide(QUESTION, CONTEXT).probabilities) == len(
        model.attend(QUESTION, CONTEXT).tokens
    )


def test_a_classifiers_config_is_not_changed_by_deciding(save):
    """transformers notes the kind of task in the config when it is trained, never when it runs."""
    folder = save()
    model = load_model(str(folder))
    model.decide("it was")
    module = AutoModelForSequenceClassification.from_pretrained(folder)
    assert model.module.config.problem_type == module.config.problem_type
