"""The published translators: their texts at the end of training and before."""

import numpy as np
import pytest

from model import HeadlightError, LoadedTranslator, load_model
from model.catalogue.models import load_translator
from model.catalogue.names import checkpoint_names


@pytest.fixture(scope="module")
def phrases() -> LoadedTranslator:
    return load_model("phrases")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the blue flower", "la fleur bleue"),
        ("The flower isn't small.", "la fleur n'est pas petite"),
    ],
)
def test_phrases_are_translated(phrases, text, expected):
    done = phrases.generate(text)
    assert (done.model, done.text, done.ending) == ("phrases", expected, "end")
    assert phrases.generate(text, beams=4).text == expected
    n_source, n_target = len(done.encoder.tokens), len(done.decoder.tokens)
    layers, heads = done.encoder.weights.shape[:2]
    assert done.encoder.weights.shape == (layers, heads, n_source, n_source)
    assert done.decoder.weights.shape[2:] == (n_target, n_target)
    assert done.cross.weights.shape[2:] == (n_target, n_source)
    assert n_target == len(done.tokens) == len(done.steps)


def test_adjectives_cross(phrases):
    """bleue attends to blue, fleur to flower, in the layer with the clearest mean over heads."""
    done = phrases.generate("the blue flower")
    columns = {token: i for i, token in enumerate(done.cross.key_tokens)}
    rows = {token: i for i, token in enumerate(done.tokens)}
    sure = [
        layer[rows["bleue"]].argmax() == columns["blue"]
        and layer[rows["fleur"]].argmax() == columns["flower"]
        for layer in done.cross.weights.mean(1)
    ]
    assert any(sure)


@pytest.mark.parametrize(
    ("text", "expected"), [("3rd of May, 2019", "2019-05-03"), ("May 3 '19", "2019-05-03")]
)
def test_dates_are_written_in_iso(text, expected):
    done = load_model("dates").generate(text)
    assert done.text == expected
    assert done.tokens == (*expected, "</s>")


def test_unknown_words_are_named(phrases):
    assert phrases.unknown_words("the Zebra is blue") == ["Zebra"]
    with pytest.raises(HeadlightError, match="phrases does not know Zebra"):
        phrases.generate("the Zebra is blue")
    assert load_model("dates").unknown_words("3 May 2019 €") == ["€"]


@pytest.mark.parametrize("name", ["phrases", "dates"])
def test_a_checkpoint_is_the_same_model_at_an_earlier_step(name):
    names = checkpoint_names(name)
    assert names[-1] == name and len(names) > 3
    text = {"phrases": "the blue flower", "dates": "3 May 2019"}[name]
    last = load_translator(name).generate(text)
    for early in names[:1]:
        done = load_translator(early).generate(text)
        assert done.model == early
        assert done.encoder.tokens == last.encoder.tokens
        assert not np.allclose(done.encoder.weights, last.encoder.weights, atol=1e-3)
    with pytest.raises(HeadlightError, match="There is no checkpoint of step 123456789"):
        load_translator(f"{name}@123456789")
