"""Visits that run whole pages and their fragments in AppTest, as the server does for a browser."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData, ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest, app_test
from streamlit.testing.v1.element_tree import parse_tree_from_messages
from streamlit.testing.v1.local_script_runner import LocalScriptRunner
from streamlit.util import calc_hash

from tests.pages.figures import address

ROUTER = Path(__file__).parents[2] / "pages" / "router.py"
STARTED, MESSAGE = ScriptRunnerEvent.SCRIPT_STARTED, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG


class Visit(AppTest):
    """A session with the router whose elements and list of pages outlive a run, as in a browser.

    AppTest alone shows only the messages of the newest run, starts each run without pages, and
    reruns the whole page for a widget of a fragment. After the rerun of a fragment the rest of the
    page would be gone, and a link to a page in the fragment would be an error.

    Attributes:
        drawn: Messages of the elements on screen.
        fragments: Number of fragments that the newest run consisted of; 0 if it ran the whole page.
    """

    def __init__(self, page: str = "", **address: str) -> None:
        """Enter a page's URL ("" for Explore) with these parameters; not run yet."""
        super().__init__(ROUTER, default_timeout=240)
        self._page_hash = calc_hash(page)
        self.query_params.update(address)
        self.drawn: list[ForwardMsg] = []
        self.fragments = 0
        self._known: dict[str, Any] = {}  # the query string after the newest run

    @property
    def address(self) -> dict[str, str]:
        return address(self)

    def go(self, page: str, **address: str) -> Self:
        """Go to another page as by the menu, which clears the URL."""
        self.query_params.clear()
        self.query_params.update(address)
        self.switch_page(f"{page}/page.py").run()
        return self

    def _run(self, widget_state: WidgetStates | None = None, timeout: float | None = None) -> Self:
        fragment = self._edited_fragment(widget_state)

        def runner(path: str, state: Any, pages: PagesManager, **rest: Any) -> LocalScriptRunner:
            if self._registered_pages:
                pages._set_pages(self._registered_pages)
            made = _Runner(path, state, pages, **rest)
            made.visit, made.fragment = self, fragment
            return made

        with patch.object(app_test, "LocalScriptRunner", runner):
            super()._run(widget_state, timeout)
        self._known = dict(self.query_params)
        return self

    def _edited_fragment(self, sent: WidgetStates | None) -> str | None:
        """The fragment of the edited widgets: a browser requests a rerun of this fragment alone."""
        if not sent or self.query_params != self._known:
            return None
        tree = parse_tree_from_messages(self.drawn)
        tree._runner = self
        before = _by_id(tree.get_widget_states().widgets)
        edited = {name for name, state in _by_id(sent.widgets).items() if state != before.get(name)}
        owners = {m.delta.fragment_id for m in self.drawn if _widget_id(m) in edited}
        return owners.pop() if len(owners) == 1 else None


class _Runner(LocalScriptRunner):
    visit: Visit
    fragment: str | None

    def request_rerun(self, rerun_data: RerunData) -> bool:
        # AppTest has requested a whole run already, which includes every fragment.
        self._requests = ScriptRequests()
        return super().request_rerun(replace(rerun_data, fragment_id=self.fragment))

    def forward_msgs(self) -> list[ForwardMsg]:
        """The messages of all elements on screen; a fragment replaces what it drew before."""
        events = list(zip(self.events, self.event_data, strict=True))
        begun = max(i for i, (event, _) in enumerate(events) if event is STARTED)
        drawn = [data["forward_msg"] for event, data in events[begun:] if event is MESSAGE]
        rerun = events[begun][1]["fragment_ids_this_run"] or []
        if rerun:
            # A fragment draws its own container first; those of inner fragments are inside.
            roots = [
                min((_path(m) for m in self.visit.drawn if m.delta.fragment_id == each), key=len)
                for each in rerun
            ]
            kept = (m for m in self.visit.drawn if not any(_path(m)[: len(r)] == r for r in roots))
            drawn = [*kept, *drawn]
        queue = ForwardMsgQueue()  # in it, an element replaces the one before in its place
        for message in drawn:
            queue.enqueue(message)
        self.visit.drawn, self.visit.fragments = queue._queue, len(rerun)
        return queue._queue


def _path(message: ForwardMsg) -> list[int]:
    return list(message.metadata.delta_path)


def _by_id(states: Iterable[WidgetState]) -> dict[str, WidgetState]:
    return {state.id: state for state in states}


def _widget_id(message: ForwardMsg) -> str:
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    return str(getattr(getattr(element, kind), "id", "")) if kind else ""


def open_page(page: str, **address: str) -> Visit:
    """Open a link to a page; it is drawn without an exception."""
    visit = Visit(page, **address).run()
    assert not visit.exception
    return visit
