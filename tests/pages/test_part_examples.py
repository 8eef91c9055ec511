"""An example that a part opens with ends when the part is left."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.heads.url import PARTS
from tests.pages.conftest import first_visit
from tests.pages.test_explore import address
from web.view_state import examples

PAGES = ("layers", "positions", "decoder", "calculator", "picture", "about")


def visit(page: AppTest, name: str) -> AppTest:
    """Follow a link of the navigation, whose address has no view."""
    page.query_params.clear()
    page.switch_page(f"{name}/page.py").run()
    assert not page.exception
    return page


def test_the_parts_of_heads_leave_the_view_of_explore_and_of_other_parts() -> None:
    page = first_visit("").run()
    before = address(page)
    shared = {name: before[name] for name in ("text", "left", "right", "layer", "head")}
    visit(page, "heads")
    for part in (*PARTS, *reversed(PARTS)):
        page.button_group(key="heads_part").set_value(part).run()
        assert address(page)["part"] == part
        here = part
        page.button_group(key="heads_part").set_value("corpus").run()
        assert {name: address(page)[name] for name in shared} == shared, here
    for part in PARTS:
        page.button_group(key="heads_part").set_value(part).run()
        assert address(visit(page, "explore")) == before, part
        visit(page, "heads")


@pytest.mark.parametrize("name", PAGES)
def test_other_pages_leave_the_view_of_explore(name: str) -> None:
    page = first_visit("").run()
    before = address(page)
    visit(page, name)
    assert address(visit(page, "explore")) == before


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
