"""Switched-off heads and hidden words, compared with a computation by hand."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from model import HeadlightError, ablate
from model.analysis.intervention import (
    Intervention,
    intervene,
    next_tokens,
    relative_changes,
)
from model.catalogue.loaded_model import LoadedModel
from tests.model.conftest import ANIMAL

SENTENCE = "the animal was too tired"
PAIR = "it slept, was it?"


def off(*heads: tuple[int, int], how="zero") -> Intervention:
    return Intervention(off=frozenset(heads), how=how)


def test_switching_no_head_off_is_bit_identical(families, scratch):
    for model in (*families.values(), scratch):
        capture, outcome = model.attend(SENTENCE, PAIR), intervene(model, SENTENCE, PAIR)
        assert np.array_equal(capture.weights, outcome.capture.weights)
        assert np.array_equal(model.hidden_states(SENTENCE, PAIR).numpy(), outcome.hidden)


def by_hand(model: LoadedModel, heads: set[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Weights (L, H, T, T) and hidden states of our encoder, computed without hooks."""
    encoder, linear, all_weights = model.module, torch.nn.functional.linear, []
    with torch.inference_mode():
        x = encoder.embeddings(torch.tensor([model.tokenize(ANIMAL).ids]))
        for number, layer in enumerate(encoder.layers):
            attention = layer.attention
            q, k, v = (
                linear(x, w.weight, w.bias).unflatten(-1, (model.n_heads, -1)).transpose(1, 2)
                for w in (attention.query, attention.key, attention.value)
            )  # (1, H, T, K)
            weights = (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1)
            context = weights @ v
            for off_layer, head in heads:
                if off_layer == number:
                    context[:, head] = 0
            joined, output = context.transpose(1, 2).flatten(2), attention.output
            x = layer.attention_norm(x + linear(joined, output.weight, output.bias))
            x = layer.feed_forward_norm(x + layer.feed_forward(x))
            all_weights.append(weights[0])
    return torch.stack(all_weights).numpy(), x[0].numpy()


def test_a_switched_off_head_has_a_zero_context(scratch):
    heads = {(0, 0), (0, 11), (5, 2)}
    weights, hidden = by_hand(scratch, heads)
    outcome = ablate(scratch, ANIMAL, heads)
    assert_allclose(outcome.capture.weights, weights, atol=1e-6)
    assert_allclose(outcome.hidden, hidden, atol=1e-5)
    assert np.abs(hidden - scratch.hidden_states(ANIMAL).numpy()).max() > 0.01
    even = ablate(scratch, ANIMAL, [(0, 11)], "uniform").capture
    assert_allclose(even.weights[0, 11], 1 / len(even.tokens), atol=1e-6)
    assert_allclose(even.weights[0, :11], weights[0, :11], atol=1e-6)


def test_a_hidden_word_equals_a_mask_in_the_text(scratch):
    tokens = scratch.tokenize(ANIMAL).pieces
    position = tokens.index("street")
    hidden = intervene(scratch, ANIMAL, change=Intervention(masked=frozenset({position})))
    written = ANIMAL.replace("street", "[MASK]")
    assert hidden.capture.tokens[position] == "[MASK]"
    assert hidden.masks == (position,)
    assert np.array_equal(hidden.capture.weights, scratch.attend(written).weights)
    best = np.argsort(-hidden.predicted[0])[:10]
    assert [(scratch.piece(int(i)), hidden.predicted[0, i]) for i in best] == [
        (piece, pytest.approx(p)) for piece, p in scratch.predict(written)[0]
    ]
    # One mask is typed, the other one hides a word, and a head is off.
    change = Intervention(frozenset({(5, 3)}), masked=frozenset({position}))
    assert change.baseline == Intervention(masked=change.masked)
    typed = ANIMAL.replace(" it ", " [MASK] ")
    before, after = (intervene(scratch, typed, None, each) for each in (change.baseline, change))
    assert before.masks == after.masks == (position, tokens.index("it"))
    assert np.abs(before.predicted - after.predicted).max() > 1e-4


def test_impossible_changes_are_refused_in_words(minilm, decoders):
    for head in [(6, 0), (0, 12), (-1, 3)]:
        with pytest.raises(HeadlightError, match="has no head L"):
            intervene(minilm, ANIMAL, change=off(head))
    for position in (0, 15, -1):  # not words
        with pytest.raises(HeadlightError, match="cannot be hidden"):
            intervene(minilm, ANIMAL, change=Intervention(masked=frozenset({position})))
    with pytest.raises(HeadlightError, match="has no mask token"):
        intervene(decoders["gpt2"], SENTENCE, change=Intervention(masked=frozenset({1})))
    outcome = intervene(minilm, ANIMAL, change=Intervention(masked=frozenset({3})))
    assert (outcome.predicted, outcome.masks) == (None, (3,))  # without a language head


@pytest.mark.parametrize("family", ["gpt2", "llama", "mistral"])
def test_the_next_token_equals_the_decoders_own_prediction(decoders, family):
    model = decoders[family]
    tokens = model.tokenize(SENTENCE)
    outcome = intervene(model, SENTENCE)
    following = next_tokens(model, outcome.hidden)
    assert_allclose(following.sum(axis=-1), 1, atol=1e-5)
    for count in (1, len(tokens.ids)):
        logits = model.predictor.next_logits(torch.tensor([tokens.ids[:count]]), None)[0]
        assert_allclose(following[count - 1], logits.softmax(-1).numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("family", "how"), [("gpt2", "zero"), ("llama", "zero"), ("mistral", "uniform")]
)
def test_masking_a_query_head_leaves_heads_with_the_same_keys_unchanged(decoders, family, how):
    model = decoders[family]
    before = model.attend(SENTENCE)
    after = intervene(model, SENTENCE, change=off((0, 1), how=how)).capture
    others = [h for h in range(model.n_heads) if h != 1]
    assert np.array_equal(before.weights[0, others], after.weights[0, others])
    assert np.array_equal(before.k[0], after.k[0]) and np.array_equal(before.v[0], after.v[0])
    assert np.abs(before.weights[1] - after.weights[1]).max() > 1e-5
    if how == "uniform":  # over the keys that each token sees
        seen = before.allowed[0].sum(axis=-1, keepdims=True)
        assert_allclose(after.weights[0, 1], before.allowed[0] / seen, atol=1e-6)


def test_relative_changes_by_hand():
    before = np.array([[3.0, 4.0], [1.0, 0.0], [0.0, -2.0]])
    after = np.array([[6.0, 8.0], [1.0, 2.0], [0.0, -2.0]])
    assert_allclose(relative_changes(before, after), [1, 2, 0])
