"""An example that a part opens with ends when the part is left."""

import pytest

from pages.heads.url import PARTS
from tests.pages.visit import open_page
from web.view_state import examples


def test_the_parts_of_heads_leave_the_view_of_explore_and_of_other_parts() -> None:
    page = open_page("")
    before = page.address
    shared = {name: before[name] for name in ("text", "left", "right", "layer", "head")}
    page.go("heads")
    for part in (*PARTS, *reversed(PARTS)):
        page.button_group(key="heads_part").set_value(part).run()
        assert not page.exception and page.address["part"] == part
        page.button_group(key="heads_part").set_value("corpus").run()
        assert shared.items() <= page.address.items(), part
    for part in PARTS:
        page.button_group(key="heads_part").set_value(part).run()
        assert page.go("explore").address == before, part
        page.go("heads")


def test_other_pages_leave_the_view_of_explore() -> None:
    page = open_page("")
    before = page.address
    for name in ("layers", "positions", "decoder", "calculator", "picture", "about"):
        assert not page.go(name).exception
        assert page.go("explore").address == before, name


def test_a_choice_after_an_example_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    state = {"layer": 3, "head": 1, "left": "scratch"}
    monkeypatch.setattr(examples.st, "session_state", state)
    examples.show({"left": "minilm"})
    examples.show({"layer": 2, "head": 8})
    examples.show({"layer": 4, "head": 8})
    assert examples.put_back()
    assert state == {"layer": 3, "head": 1, "left": "scratch"}
    examples.show({"layer": 2, "head": 8})
    state["layer"] = 5  # a choice of the visitor
    assert not examples.put_back()
    assert (state["layer"], state["head"]) == (5, 8)
