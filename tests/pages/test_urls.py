"""The URL parameters of all pages: shared, initial and hostile values, and examples."""

from collections import defaultdict
from itertools import cycle

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from pages.heads.url import Heads
from pages.urls import BY_PATH, DECODER_PARTS
from tests.pages.hostile_values import (
    HOSTILE,
    MARKUP,
    TABLES,
    all_parameters,
    check_everywhere,
    parameters,
    parse,
    parsed,
    texts,
    values,
)
from tests.pages.hostile_values import open_page as open_hostile
from tests.pages.visit import open_page
from web.view_state import examples


def test_pages_that_share_a_key_accept_the_same_values() -> None:
    known = {field.write(field.default) for _, field in all_parameters()}
    values = [*known, "0", "1", "9999", "x", "L|3"]
    accepted = defaultdict(set)
    for path, table in [*BY_PATH.items(), *DECODER_PARTS.items()]:
        for field in table.values() if path != "/model" else ():
            accepted[field.key].add(tuple(parsed(field, value) for value in values))
    assert [key for key, found in accepted.items() if len(found) > 1] == []
    assert len(accepted) > 80


@settings(max_examples=100)
@given(values())
def test_every_parameter_accepts_or_rejects_any_value(value: str) -> None:
    parse(value)


def test_every_parameter_accepts_or_rejects_known_hostile_values() -> None:
    assert len(all_parameters()) > 100
    for value in HOSTILE:
        parse(value)


@settings(max_examples=40)
@example("scratch", "half \ud800 an emoji")
@given(some.sampled_from(("scratch", "minilm")), texts())
def test_any_text_is_drawn_and_saved_or_rejected_with_a_message(name: str, text: str) -> None:
    check_everywhere(name, text)


@pytest.mark.parametrize("page", TABLES)
def test_a_page_with_only_hostile_parameters_is_drawn(page: str) -> None:
    worst = cycle([MARKUP, *(value for value in HOSTILE if len(value) < 500)])
    open_hostile(page, {name: next(worst) for name, _ in parameters(page)})


def test_the_parts_of_heads_leave_the_view_of_explore_and_of_other_parts() -> None:
    page = open_page("")
    before = page.address
    shared = {name: before[name] for name in ("text", "left", "right", "layer", "head")}
    page.go("heads")
    for part in Heads.part.options:
        page.button_group(key="heads_part").set_value(part).run()
        assert not page.exception and page.address["part"] == part
        page.button_group(key="heads_part").set_value("corpus").run()
        assert shared.items() <= page.address.items(), part
        page.button_group(key="heads_part").set_value(part).run()
        assert page.go("explore").address == before, part
        page.go("heads")
    for name in ("layers", "positions", "decoder", "calculator"):
        assert not page.go(name).exception
        assert page.go("explore").address == before, name


def test_a_choice_after_an_example_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    state = {"layer": 3, "head": 1, "left": "scratch"}
    monkeypatch.setattr(examples.st, "session_state", state)
    examples.show({"left": "minilm"})
    examples.show({"layer": 4, "head": 8})
    assert examples.put_back()
    assert state == {"layer": 3, "head": 1, "left": "scratch"}
    examples.show({"layer": 2, "head": 8})
    state["layer"] = 5  # a choice of the visitor
    assert not examples.put_back()
    assert (state["layer"], state["head"]) == (5, 8)
