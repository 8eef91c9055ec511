"""The URL parameters of all pages: shared keys, initial texts, removed parts, hostile values."""

from collections import defaultdict
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from pages.urls import BY_PATH, DECODER_PARTS
from tests.pages.hostile_values import (
    HOSTILE,
    MARKUP,
    TABLES,
    all_parameters,
    check_everywhere,
    open_page,
    parameters,
    parse,
    texts,
    values,
)
from web.view_state.initial_texts import INITIAL_TEXTS
from web.view_state.removed_parts import REMOVED

PARAMETERS = {parameter.key or name: (name, parameter) for name, parameter in all_parameters()}


def test_pages_that_share_a_key_parse_it_with_the_same_function() -> None:
    """Otherwise a page could find a value that only another page can show."""
    readers = defaultdict(set)
    for path, table in [*BY_PATH.items(), *DECODER_PARTS.items()]:
        for name, parameter in table.items() if path != "/model" else ():
            readers[parameter.key or name].add(parameter.parse)
    assert [key for key, found in readers.items() if len(found) > 1] == []
    assert len(readers) > 80


def test_the_text_that_a_page_always_writes_into_its_address_is_an_initial_text() -> None:
    typed = [p for name, p in all_parameters() if name in ("text", "pair", "system") and p.always]
    written = {parameter.default for parameter in typed}
    assert len(written) == 3 and written <= {*INITIAL_TEXTS}


def removed(key: str, value: str) -> None:
    """A page with one parameter, in AppTest."""
    from dataclasses import replace

    import streamlit as st

    from tests.pages.test_urls import PARAMETERS
    from web.view_state import address

    name, parameter = PARAMETERS[key]
    parameter = replace(parameter, relevant=lambda: True)  # some depend on others
    st.query_params[name] = value
    for notice in address.restore({name: parameter}):
        st.info(notice)
    address.keep({name: parameter})


@pytest.mark.parametrize(("key", "value"), REMOVED)
def test_a_link_to_a_removed_part_opens_its_replacement_with_a_notice(key, value) -> None:
    _, parameter = PARAMETERS[key]
    with pytest.raises((ValueError, KeyError)):
        parameter.parse(value)  # otherwise the part still exists
    app = AppTest.from_function(removed, args=(key, value)).run()
    assert not app.exception
    assert [notice.value for notice in app.info] == [REMOVED[key, value].notice()]
    assert app.session_state[key] == parameter.parse(REMOVED[key, value].value)


@settings(max_examples=100)
@given(values())
def test_every_parameter_accepts_or_rejects_any_value(value: str) -> None:
    parse(value)


def test_every_parser_survives_known_hostile_values() -> None:
    assert len(all_parameters()) > 100
    for value in HOSTILE:
        parse(value)


@settings(max_examples=40)
@given(some.sampled_from(("scratch", "minilm")), texts())
def test_any_text_is_drawn_and_saved_or_rejected_with_a_message(name: str, text: str) -> None:
    check_everywhere(name, text)


def test_a_lone_surrogate_can_be_saved_in_a_file() -> None:
    check_everywhere("scratch", "half \ud800 an emoji")


@pytest.mark.parametrize("page", TABLES)
def test_a_page_with_only_hostile_parameters_is_drawn(page: str) -> None:
    worst = cycle([MARKUP, *(value for value in HOSTILE if len(value) < 500)])
    open_page(page, {name: next(worst) for name, _ in parameters(page)})
