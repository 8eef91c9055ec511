"""A page without a browser: messages of Streamlit's protocol, which nobody draws."""

import json

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LIMIT = 60
"""Seconds until a missing response is an error."""

INTERNAL = "$$STREAMLIT_INTERNAL_KEY"
"""Streamlit's prefix of the name of a component's events."""

WARNS = (Alert.ERROR, Alert.WARNING)
"""Kinds of alerts that do not occur on a page without errors."""

FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)

GOES_ON = ForwardMsg.FINISHED_EARLY_FOR_RERUN
"""Status of a run that another run follows immediately, as after a click's callback."""


class Page:
    """State of a page, from its sent and received messages."""

    def __init__(self, address: str) -> None:
        self._page, _, self._query = address.partition("?")
        self._hash = ""
        self._cached: dict[str, None] = {}
        self.text_inputs: dict[str, str] = {}
        self.components: dict[str, str] = {}
        self.messages: list[ForwardMsg] = []

    def go(self, address: str) -> bytes:
        """Go to another URL through the history; return the message to send."""
        page, _, self._query = address.partition("?")
        if page != self._page:
            self.text_inputs = {}
        self._page, self._hash = page, ""
        return self.rerun(by_history=True)

    def type(self, sentence: str) -> bytes:
        """Type a sentence into the page's first text input; return the message to send."""
        self.text_inputs[next(iter(self.text_inputs))] = sentence
        return self.rerun()

    def act(self, key: str, event: str, value: object) -> bytes:
        """Trigger a component's event, such as a click; return the message to send."""
        events = json.dumps([{"event": event, "value": value}])
        return self.rerun(acts=(f"{INTERNAL}_{self.components[key]}__events", events))

    def rerun(self, by_history: bool = False, acts: tuple[str, str] | None = None) -> bytes:
        """Request a rerun without a change; return the message to send."""
        self.messages = []
        request = BackMsg()
        state = request.rerun_script
        state.is_history_navigation = by_history
        state.page_name, state.page_script_hash = self._page, self._hash
        state.query_string = self._query
        state.cached_message_hashes.extend(self._cached)
        for name, value in self.text_inputs.items():
            widget = state.widget_states.widgets.add()
            widget.id, widget.string_value = name, value
        if acts:
            widget = state.widget_states.widgets.add()
            widget.id, widget.json_trigger_value = acts
        return request.SerializeToString()

    def receive(self, data: bytes) -> bool:
        """Read a message; return whether it was the last of a run. A failed run is an error."""
        message = ForwardMsg()
        message.ParseFromString(data)
        self.messages.append(message)
        self._note(message)
        if message.WhichOneof("type") != "script_finished" or message.script_finished == GOES_ON:
            return False
        if message.script_finished not in FINISHED:
            raise RuntimeError(str(message))
        return True

    def _note(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self._hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if element.WhichOneof("type") == "text_input":
                box = element.text_input
                if box.set_value or box.id not in self.text_inputs:
                    self.text_inputs[box.id] = box.value if box.set_value else box.default
            elif element.WhichOneof("type") == "bidi_component":
                name = element.bidi_component.id
                self.components[name.split("-", 2)[-1]] = name
        if message.metadata.cacheable:
            self._cached[message.hash] = None


def is_refusal(message: ForwardMsg) -> bool:
    """Whether a message shows an error or that the server is busy."""
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    return kind == "exception" or (kind == "alert" and element.alert.format in WARNS)
