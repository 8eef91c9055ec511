"""The best answer span for given logits."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from model import load_model
from model.capture.tokens import Tokens
from model.catalogue.tasks import Task, to_decision
from tests.model.checkpoints import save_head
from tests.model.parity import CONTEXT, QUESTION


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


@pytest.mark.parametrize(
    ("starts", "ends", "span"),
    [
        ({5: 4.0}, {6: 3.0}, (5, 6)),
        # [CLS], the question, and both [SEP] are never the answer.
        *(({trap: 50.0, 5: 4.0}, {trap: 50.0, 6: 3.0}, (5, 6)) for trap in (0, 1, 3, 9)),
        ({4: 2.0, 7: 5.0}, {4: 5.0, 8: 1.0}, (4, 4)),  # 7; from 7 to 8 6, from 7 to 4 10
        ({4: 0.5, 7: 5.0}, {4: 5.0, 8: 1.0}, (7, 8)),
    ],
)
def test_the_answer_is_the_best_span_of_the_second_sentence(starts, ends, span):
    #  0     1   2   3     4   5   6    7   8  9
    # [CLS] who sat [SEP] the old cat sat .  [SEP]
    found = answer(logits_with(10, starts, ends), "who sat", "the  old cat sat .")
    assert (found.first, found.last) == span
    if starts == {5: 4.0}:
        assert found.text == "old cat"
        start, end = np.exp(4) / (np.exp(4) + 9), np.exp(3) / (np.exp(3) + 9)
        assert found.probability == pytest.approx(start * end, rel=1e-5)


def test_an_answer_of_thirty_tokens_is_found_and_a_longer_one_is_not():
    text = " ".join(f"w{i}" for i in range(40))  # its first word is token 1
    longest = answer(logits_with(42, {3: 9.0}, {32: 9.0, 4: 1.0}), text)
    assert (longest.first, longest.last) == (3, 32)
    assert answer(logits_with(42, {3: 9.0}, {33: 9.0, 4: 1.0}), text).text == "w2 w3"


def test_a_certain_no_answer_still_has_a_best_span_in_the_only_sentence():
    """Every span's probability underflows to 0 in float32, but one is the best."""
    found = answer(logits_with(5, {0: 300.0, 2: 3.0}, {0: 300.0, 3: 3.0}), "the old cat")
    assert (found.text, found.probability) == ("old cat", 0.0)


def test_a_second_sentence_without_tokens_has_no_answer():
    """For example control characters, which BERT's normaliser removes."""
    tokens = replace(tokens_of("who", ""), segment_ids=(0, 0, 1))
    task = Task("answer", ("start", "end"), lambda ids, segments: torch.zeros(1, 3, 2))
    decision = to_decision(task, torch.zeros(3, 2), tokens, ("who", "\x00"))
    assert decision.answer is None
    assert_allclose(decision.probabilities, 1 / 3)


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_the_best_span_equals_an_exhaustive_search(tmp_path, family):
    """All pairs of a start and an end, for every kind of tokenizer."""
    model = load_model(str(save_head(tmp_path, family, "answer")))
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
