"""The best answer span for given logits."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from model import load_model
from model.capture.tokens import Tokens
from model.catalogue.tasks import LONGEST_ANSWER, Task, to_decision

QUESTION = "was it the animal?"
CONTEXT = "the animal was too tired, it slept"


def tokens_of(question: str, context: str) -> Tokens:
    """Numbered words of two sentences, with special tokens as in BERT."""
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
    """Logits of 0, except for some start and some end tokens."""
    logits = torch.zeros(n_tokens, 2)
    for column, values in enumerate((starts, ends)):
        for position, value in values.items():
            logits[position, column] = value
    return logits


def test_the_answer_is_a_span_of_the_second_sentence():
    #  0     1   2   3     4   5   6    7   8  9
    # [CLS] who sat [SEP] the old cat sat .  [SEP]
    found = answer(logits_with(10, {5: 4.0}, {6: 3.0}), "who sat", "the  old cat sat .")
    assert (found.text, found.first, found.last) == ("old cat", 5, 6)
    start = np.exp(4) / (np.exp(4) + 9)
    end = np.exp(3) / (np.exp(3) + 9)
    assert found.probability == pytest.approx(start * end, rel=1e-5)


@pytest.mark.parametrize("trap", [0, 1, 3, 9], ids=["CLS", "question", "SEP", "last SEP"])
def test_special_tokens_and_the_question_are_never_the_answer(trap):
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


def test_a_certain_no_answer_still_has_a_best_span_in_the_only_sentence():
    """Every span's probability underflows to 0 in float32, but one is the best."""
    found = answer(logits_with(5, {0: 300.0, 2: 3.0}, {0: 300.0, 3: 3.0}), "the old cat")
    assert (found.text, found.probability) == ("old cat", 0.0)


def test_a_second_sentence_without_tokens_has_no_answer():
    """For example control characters, which BERT's normaliser removes."""
    specials = ((None, "[CLS]"), (0, "who"), (None, "[SEP]"), (None, "[SEP]"))
    words, pieces = zip(*specials, strict=True)
    tokens = Tokens(pieces, (2, 7, 3, 3), ((0, 0), (0, 3), (0, 0), (0, 0)), words, (0, 0, 0, 1))
    task = Task("answer", ("start", "end"), lambda ids, segments: torch.zeros(1, 4, 2))
    decision = to_decision(task, torch.zeros(4, 2), tokens, ("who", "\x00"))
    assert decision.answer is None
    assert_allclose(decision.probabilities, 0.25)


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_the_best_span_equals_an_exhaustive_search(save, family):
    """All pairs of a start and an end, for every kind of tokenizer."""
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
