"""A page that gets no turn at the cores says so, and may ask again."""

from pages.shared import captures
from pages.shared.turns import passes
from tests.pages.conftest import first_visit


def test_a_page_that_is_refused_says_so_in_words_and_asks_again(monkeypatch) -> None:
    page = first_visit("").run()
    monkeypatch.setattr(passes, "most_waiting", -1)  # none, not even for a free turn
    page.text_input(key="text").set_value("nobody has asked for these words").run()
    assert not page.exception
    assert "The server is busy" in page.warning[0].value
    monkeypatch.undo()
    page.button(key="try_again").click().run()
    assert not page.exception and not page.warning
    assert captures.read.kept.cache_key("minilm", "nobody has asked for these words", None) in (
        captures.read.kept.cache
    )


def test_a_part_of_a_page_that_is_refused_says_so_too(monkeypatch) -> None:
    """Streamlit would show it as an error of the application."""
    page = first_visit("layers").run()
    monkeypatch.setattr(passes, "most_waiting", -1)
    page.text_input(key="text").set_value("nor has anybody for these").run()
    assert not page.exception
    assert "The server is busy" in page.warning[0].value
    monkeypatch.undo()
    page.button(key="try_again_depth").click().run()
    assert not page.exception and not page.warning
