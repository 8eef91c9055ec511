"""The findings to click are true of the weights that ship, and their links show them."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from model.analysis.grammar.atlas import read_atlas
from model.analysis.induction import induction_scores
from model.analysis.labels import labels
from model.analysis.measures import profile
from pages.shared.findings import FINDINGS, titles, what_to_see
from pages.shared.parameters import DEFAULT_TEXT
from tests.pages.conftest import first_visit
from tests.pages.test_explore import words_on

IT, ANIMAL, THE, STREET = 10, 2, 7, 8


def weights(model: str) -> np.ndarray:
    return load_model(model).attend(DEFAULT_TEXT).weights


def on_the_previous(model: str, layer: int, head: int) -> float:
    return float(profile(load_model(model).attend(DEFAULT_TEXT))["previous"][layer, head])


def said(name: str, number: str) -> object:
    return pytest.approx(FINDINGS[name].numbers[number], abs=0.005)


def test_it_looks_at_animal_more_than_at_anything_and_in_no_head_more_than_in_this() -> None:
    minilm = weights("minilm")
    assert minilm[3, 1, IT, ANIMAL] == said("animal", "weight")
    assert minilm[3, 1, IT].argmax() == ANIMAL
    for model in ("minilm", "scratch"):
        assert weights(model)[:, :, IT, ANIMAL].max() <= minilm[3, 1, IT, ANIMAL]


def test_each_model_has_a_head_for_the_previous_token() -> None:
    assert on_the_previous("scratch", 1, 10) == said("previous", "ours")
    assert on_the_previous("minilm", 0, 2) == said("previous", "theirs")


def test_heads_rest_on_the_opening_token() -> None:
    measured = profile(load_model("minilm").attend(DEFAULT_TEXT))
    named = [label.name for row in labels(measured) for label in row]
    assert named.count("cls") == FINDINGS["rest"].numbers["count"]
    assert measured["cls"][4, 5] == measured["cls"].max() == said("rest", "most")


def test_before_training_the_head_has_no_pattern() -> None:
    assert on_the_previous("scratch@0", 1, 10) == said("untrained", "before")
    assert on_the_previous("scratch", 1, 10) == said("untrained", "after")


def test_a_noun_finds_its_determiner() -> None:
    atlas = read_atlas("scratch")
    assert atlas is not None
    best = next(found for found in atlas.best_heads() if found.relation == "det")
    assert (best.layer, best.head, best.direction, best.offset) == (3, 1, 1, -1)
    assert best.accuracy == said("determiner", "accuracy")
    assert best.baseline == said("determiner", "baseline")
    scratch = weights("scratch")[3, 1]
    assert (scratch[ANIMAL].argmax(), scratch[STREET].argmax()) == (1, THE)


def test_our_code_and_the_librarys_give_the_same_numbers() -> None:
    ours, theirs = weights("scratch-minilm"), weights("minilm")
    assert ours.shape[0] * ours.shape[1] == FINDINGS["same"].numbers["heads"]
    assert np.abs(ours - theirs).max() < FINDINGS["same"].numbers["most"]


def test_bert_looks_ahead_where_the_decoder_cannot() -> None:
    ahead = profile(load_model("minilm").attend(DEFAULT_TEXT))["next"]
    assert ahead[1, 8] == ahead.max() == said("ahead", "ahead")
    smollm2 = load_model("smollm2").attend(DEFAULT_TEXT)
    back = profile(smollm2)["previous"]
    assert back[16, 0] == back.max() == said("ahead", "back")
    assert not np.triu(smollm2.weights, k=1).any()


def test_a_head_reads_what_came_next_last_time() -> None:
    model = load_model("smollm2")
    scores = induction_scores(model)
    assert scores[17, 5] == said("induction", "score")
    assert (scores > scores[17, 5]).sum() == 1  # one more head has a higher score
    capture = model.attend(FINDINGS["induction"].view["text"])
    last = capture.weights[17, 5, -1]
    assert last.max() == last[capture.tokens.index("green")] == said("induction", "weight")


def opened(name: str) -> AppTest:
    page = first_visit("" if FINDINGS[name].page == "explore" else FINDINGS[name].page)
    for parameter, value in FINDINGS[name].address().items():
        page.query_params[parameter] = value
    return page.run()


@pytest.mark.parametrize("name", FINDINGS)
def test_a_findings_link_says_what_to_look_for(name: str) -> None:
    page = opened(name)
    assert not page.exception
    assert "is not known here" not in words_on(page)
    assert what_to_see(name) in words_on(page)
    assert name in titles()


def test_of_another_view_nothing_is_said() -> None:
    page = opened("animal")
    page.selectbox(key="layer").set_value(5).run()
    assert not any(what_to_see(name) in words_on(page) for name in FINDINGS)
    page = opened("previous")
    page.text_input(key="text").set_value("Quite another one.").run()
    assert what_to_see("previous") not in words_on(page)
