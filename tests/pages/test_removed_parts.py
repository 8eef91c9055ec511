"""Links of earlier versions to parts that are gone."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.urls import BY_PATH, DECODER_PARTS
from web.view_state.removed_parts import REMOVED

PARAMETERS = {
    parameter.key or name: (path, name, parameter)
    for path, parameters in {
        **{f"/decoder?part={part}": each for part, each in DECODER_PARTS.items()},
        **BY_PATH,
    }.items()
    for name, parameter in parameters.items()
}


def page(key: str, value: str) -> None:
    from dataclasses import replace

    import streamlit as st

    from tests.pages.test_removed_parts import PARAMETERS
    from web.view_state import address

    _path, name, parameter = PARAMETERS[key]
    parameter = replace(parameter, relevant=lambda: True)  # some depend on others
    st.query_params[name] = value
    for notice in address.restore({name: parameter}):
        st.info(notice)
    address.keep({name: parameter})


@pytest.mark.parametrize(("key", "value"), REMOVED)
def test_a_link_to_a_removed_part_opens_its_replacement_with_a_notice(key, value):
    _path, _name, parameter = PARAMETERS[key]
    with pytest.raises((ValueError, KeyError)):
        parameter.parse(value)  # otherwise the part still exists
    app = AppTest.from_function(page, args=(key, value)).run()
    assert not app.exception
    assert [notice.value for notice in app.info] == [REMOVED[key, value].notice()]
    assert app.session_state[key] == parameter.parse(REMOVED[key, value].value)
