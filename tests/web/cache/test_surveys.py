"""A shared survey computes each batch once, stops between two batches and resumes."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose

from model import LoadedModel, load_model
from model.analysis.measures import profile
from model.analysis.survey import quantiles, switch_off_each
from web.cache import surveys
from web.cache.surveys import CHANGE, Survey

TEXTS = ("the dog was it", "the animal was too tired", "it was the table", "so", "the cat was it")


@pytest.fixture(scope="module")
def model() -> LoadedModel:
    return load_model("scratch")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The texts of each batch that a turn has computed."""
    batches: list[tuple[str, ...]] = []
    run = surveys.compute

    def compute(operation, model, texts, *args):
        batches.append(texts)
        return run(operation, model, texts, *args)

    monkeypatch.setattr(surveys, "compute", compute)
    return batches


def finish(survey: Survey) -> None:
    while not survey.complete:
        survey.advance()


def test_a_survey_holds_the_measures_of_every_capture(model) -> None:
    survey = Survey(model, TEXTS, None, ())
    finish(survey)
    table = survey.frame()
    assert survey.share == 1 and len(table) == len(TEXTS) * 72
    for number, text in enumerate(TEXTS):
        rows = table[table["sentence"] == number]
        assert set(rows["text"]) == {text}
        for name, values in profile(model.attend(text)).items():
            assert_allclose(rows[name], values.ravel(), atol=1e-5)


def test_a_stopped_survey_has_the_finished_texts_and_continues_after_them(model, computed) -> None:
    survey = Survey(model, TEXTS, None, ())
    survey.advance()
    assert computed == [("the dog was it", "it was the table", "the cat was it")]
    assert survey.frame(["next"])["sentence"].unique().tolist() == [0, 2, 4]
    assert survey.quantiles("next")["texts"].tolist() == [3] * 72
    finish(survey)
    survey.advance()
    assert sorted(text for batch in computed for text in batch) == sorted(TEXTS)
    expected = quantiles(survey.frame(["next"]), "next")
    assert survey.quantiles("next").equals(expected)  # not those of the stopped survey


def test_concurrent_sessions_compute_each_batch_once(model, computed) -> None:
    survey = Survey(model, TEXTS, None, ())
    readers = [threading.Thread(target=finish, args=(survey,)) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(20)
    assert sorted(text for batch in computed for text in batch) == sorted(TEXTS)


def test_the_change_without_each_head_is_that_of_the_command(model) -> None:
    survey = Survey(model, TEXTS, "cosine", ())
    finish(survey)
    table, expected = survey.frame(), switch_off_each(model, TEXTS)
    assert_allclose(table["off"], expected["off"], atol=1e-6)
    assert_allclose(table[CHANGE], expected["off"] - expected["unchanged"], atol=1e-6)


def test_a_text_counts_only_when_the_heads_of_all_layers_were_off(model) -> None:
    survey = Survey(model, TEXTS, "cosine", ())
    for _ in range(model.n_layers - 1):
        survey.advance()
    assert survey.finished == []
    survey.advance()
    assert survey.finished == [0, 2, 4]
    assert not survey.frame().isna().any(axis=None)


def test_long_texts_get_batches_of_their_own(model, computed) -> None:
    survey = Survey(model, ("word " * 600,) * 2, None, ())
    survey.advance()
    assert [len(batch) for batch in computed] == [1]


def test_the_size_of_a_survey_is_bounded_for_any_model(model) -> None:
    survey = Survey(model, TEXTS, None, ())
    assert survey.nbytes == len(TEXTS) * len(survey.columns) * 72 * 4
    most = surveys.most_texts(model, None)
    assert most * len(survey.columns) * 72 <= surveys.MOST_NUMBERS
    assert surveys.most_texts(model, "cosine") * 72 <= surveys.MOST_PASSES


def test_equal_texts_of_two_sessions_share_a_survey() -> None:
    assert surveys.survey("scratch", TEXTS) is surveys.survey("scratch", tuple(TEXTS))
    other = surveys.survey("scratch", TEXTS, "cosine")
    assert other is not surveys.survey("scratch", TEXTS)
    assert np.isnan(other._values).all()  # nothing is computed before a session asks
