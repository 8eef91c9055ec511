"""Access to Streamlit's script run context: which session and which run this thread serves.

Replaces: nothing. Streamlit documents no way to identify the current run, or to let another thread
draw into it.
Upstream: https://github.com/streamlit/streamlit/issues/8490 (an API for threads).
Delete it when Streamlit documents an equivalent.
"""

from threading import Thread

from streamlit.runtime.scriptrunner import (
    ScriptRunContext,
    add_script_run_ctx,
    get_script_run_ctx,
)

TARGETS = {
    "streamlit.runtime.scriptrunner:ScriptRunContext.reset": "cdaa14383fd4",
    "streamlit.runtime.scriptrunner:get_script_run_ctx": "53441d524f9d",
    "streamlit.runtime.scriptrunner:add_script_run_ctx": "3b1ac7c2457e",
}


def current_context() -> ScriptRunContext | None:
    """The context of the run in this thread; None outside a run."""
    return get_script_run_ctx(suppress_warning=True)


def current_run() -> object | None:
    """An object that identifies the run in this thread; None outside a run."""
    context = current_context()
    return None if context is None else context.cursors  # Streamlit makes new ones for each run


def is_fragment_run() -> bool:
    """Whether the run in this thread executes fragments only."""
    context = current_context()
    return context is not None and bool(context.fragment_ids_this_run)


def attach_current_context(thread: Thread) -> None:
    """Let a thread draw into the run of the calling thread."""
    add_script_run_ctx(thread)
