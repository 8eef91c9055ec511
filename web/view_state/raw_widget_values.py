"""What the browser's boxes hold, as it said with the act that this run answers."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx


def held(keys: Iterable[str]) -> dict[str, Any]:
    """What was said of each box, before any callback set it otherwise.

    Streamlit keeps no public record of it, hence its inner state.

    Args:
        keys: Of boxes; of others nothing is said.
    """
    context = get_script_run_ctx()
    if context is None:
        return {}
    state = context.session_state._state
    ids = {key: state._key_id_mapper.get_id_from_key(key) for key in keys}
    found = {}
    for key, widget_id in ids.items():
        with suppress(KeyError):  # not drawn yet, or not said
            found[key] = state._new_widget_state[widget_id or ""]
    return found
