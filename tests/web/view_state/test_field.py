"""One declaration of a field: its widget, its value and its text in a link."""

import pytest
from streamlit.testing.v1 import AppTest

from web.view_state import field
from web.view_state.field import Field


@pytest.mark.parametrize(
    ("of", "known", "unknown"),
    [
        (field.choice("", ("a", "b"), aliases={"old": "b"}), {"b": "b", "old": "b"}, ["c", ""]),
        (field.choice("", range(3), 2), {"0": 0}, ["3", "-1", "x"]),
        (field.several("", ("a", "b")), {"b.a": ["a", "b"], "": []}, ["a.c"]),
        (field.flag(""), {"1": True, "0": False}, ["yes"]),
        (field.number("", 1, (0, 5)), {"5": 5}, ["6", "-1", "1.5"]),
        (field.number("", 1.0, (0.0, 5.0)), {"0.5": 0.5}, ["nan", "5.1"]),
        (field.number("", 1.0), {"1e300": 1e300, "-3": -3.0}, ["nan", "inf"]),
        (field.indices(), {"5.2.5": [2, 5]}, ["-1", "1-2"]),
        (field.pairs(), {"3-1.0-2": [(3, 1), (0, 2)]}, ["3", "1-2-3"]),
        (field.text(""), {"a\r\nb": "a b"}, []),
    ],
)
def test_a_link_contains_a_known_value_or_an_error(
    of: Field, known: dict[str, object], unknown: list[str]
) -> None:
    for text, value in known.items():
        assert of.parse(text) == value == of.parse(of.write(value))
    for text in unknown:
        with pytest.raises((ValueError, KeyError)):
            of.parse(text)


def page() -> None:
    from web.view_state import address, field
    from web.view_state.field import Fields

    class Page(Fields, prefix="my_"):
        kind = field.choice("Kind", {"a": "A", "b": "B"})
        size = field.slider("Size", 2, (1, 5), when=kind.among("b"))
        words = field.indices("Words")

    address.restore(Page.fields)
    if Page.kind.draw() == "b":
        Page.size.draw()
    Page.words.draw(options={0: "the", 1: "cat"})
    address.keep(Page.fields)


def test_a_field_draws_its_widget_with_its_limits_and_the_value_of_the_link() -> None:
    app = AppTest.from_function(page)
    app.query_params.update({"kind": "b", "size": "9", "words": "1.7"})
    app.run()
    assert not app.exception and "size = 9 is not known" in app.warning[0].value
    (size,) = app.slider
    assert (size.key, size.value, size.min, size.max) == ("my_size", 2, 1, 5)
    assert app.session_state["my_words"] == [1]  # the text has no eighth word
    size.set_value(4).run()
    assert dict(app.query_params) == {"kind": "b", "size": "4", "words": "1"}
    app.button_group(key="my_kind").set_value("a").run()
    assert dict(app.query_params) == {"words": "1"}
