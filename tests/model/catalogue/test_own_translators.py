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


@pytest.mark.parametrize("name", ["phrases", "dates"])
def test_a_checkpoint_is_the_same_model_at_an_earlier_step(name):
    names = checkpoint_names(name)
    assert names[-1] == name and len(names) > 3
    text = {"phrases": "the blue flower", "dates": "3 May 2019"}[name]
    early, last = (load_translator(each).generate(text) for each in (names[0], name))
    assert (early.model, early.encoder.tokens) == (names[0], last.encoder.tokens)
    assert not np.allclose(early.encoder.weights, last.encoder.weights, atol=1e-3)
    with pytest.raises(HeadlightError, match="There is no checkpoint of step 123456789"):
        load_translator(f"{name}@123456789")
