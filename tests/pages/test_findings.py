"""The shipped weights confirm the findings, and the link of each finding shows it."""

import numpy as np
import pytest

from model import Intervention, intervene, load_model
from model.analysis.induction import attend_to_repeated, prefix_matching
from model.analysis.measures import profile
from tests.pages.figures import as_read
from tests.pages.test_explore import words_on
from tests.pages.visit import open_page
from web.view_state.parameters import DEFAULT_TEXT
from web.widgets.findings import DENIED, FINDINGS, what_to_see

IT, ANIMAL, THE, STREET = 10, 2, 7, 8


def weights(model: str) -> np.ndarray:
    return load_model(model).attend(DEFAULT_TEXT).weights


def previous_token_weight(model: str, layer: int, head: int) -> float:
    return float(profile(load_model(model).attend(DEFAULT_TEXT))["previous"][layer, head])


def number_of(name: str, number: str) -> object:
    return pytest.approx(FINDINGS[name].numbers[number], abs=0.005)


def test_it_attends_most_to_animal_and_more_than_in_any_other_head() -> None:
    minilm = weights("minilm")
    assert minilm[3, 1, IT, ANIMAL] == number_of("animal", "weight")
    assert minilm[3, 1, IT].argmax() == ANIMAL
    wide = load_model("minilm").attend(DEFAULT_TEXT.replace("tired", "wide")).weights[3, 1, IT]
    assert wide[ANIMAL] == number_of("animal", "wide")
    assert wide[0] == number_of("animal", "rest") and wide.argmax() == 0
    assert wide[STREET] == number_of("animal", "street")
    for model in ("minilm", "scratch"):
        assert weights(model)[:, :, IT, ANIMAL].max() <= minilm[3, 1, IT, ANIMAL]


def test_each_model_has_a_head_for_the_previous_token_after_training() -> None:
    assert previous_token_weight("scratch", 1, 10) == number_of("previous", "ours")
    assert previous_token_weight("minilm", 0, 2) == number_of("previous", "theirs")
    assert previous_token_weight("scratch@0", 1, 10) == number_of("untrained", "before")
    assert previous_token_weight("scratch", 1, 10) == number_of("untrained", "after")


def test_an_induction_head_attends_to_the_token_after_the_previous_occurrence() -> None:
    model = load_model("smollm2")
    random = attend_to_repeated(model)
    scores = prefix_matching(random.weights, random.token_ids)
    assert scores[17, 5] == number_of("induction", "score")
    assert (scores > scores[17, 5]).sum() == 1  # one more head has a higher score
    capture, next_ = model.attend_and_predict(FINDINGS["induction"].view["text"])
    [(first, guess), *_rest] = likely = model.most_probable(next_)
    assert first == " blue" and guess == number_of("induction", "guess")
    assert dict(likely)[" green"] == number_of("induction", "green")
    last = capture.weights[17, 5, -1]
    assert last.max() == last[capture.tokens.index("green")] == number_of("induction", "weight")
    missed = model.attend("one two three one two").weights[17, 5, -1]
    assert missed[2] == number_of("induction", "missed")


def test_without_the_head_on_the_word_a_complaint_still_counts_as_praise() -> None:
    finding, tuned = FINDINGS["sentiment"], load_model("minilm-sentiment")
    place = int(finding.view["layer"]), int(finding.view["head"])
    off = intervene(tuned, DENIED, None, Intervention(frozenset({place}), "zero")).decision
    found = {
        "denied": tuned.attend(DENIED).weights[place][0, 5],  # [CLS] to "fantastic"
        "without": off.probabilities[1],
        "score": tuned.decide(DENIED).probabilities[1],
    }
    assert {name: round(float(each), 4) for name, each in found.items()} == finding.numbers


@pytest.mark.parametrize("name", FINDINGS)
def test_a_findings_link_shows_its_description_and_another_view_does_not(name: str) -> None:
    finding = FINDINGS[name]
    page = open_page("" if finding.page == "explore" else finding.page, **finding.address())
    assert "is not known here" not in words_on(page)
    text = as_read(what_to_see(name))
    assert text in words_on(page)
    if name in ("animal", "previous"):
        page.text_input(key="text").set_value("Quite another one.").run()
        assert text not in words_on(page)
