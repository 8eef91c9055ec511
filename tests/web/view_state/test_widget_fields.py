"""Every widget shows the last edit of it, whatever is late, merged, repeated or lost."""

from collections import deque

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from web.view_state.address import PageUrl
from web.view_state.widget_fields import ACKNOWLEDGEMENT, UNKNOWN, WidgetField, WidgetFields

WIDGETS = ("text", "layer", "head")
FRAGMENT = ("layer", "head")
"""These widgets are in a fragment: a run can draw them alone."""


class Session:
    """The server's side: the view, its records, and the code of a page.

    The page has a callback: another text sets the layer. A click on a head sets the head.
    """

    def __init__(self, query_string: dict[str, object]) -> None:
        self.fields, self.url = WidgetFields(), PageUrl()
        self.view = dict.fromkeys(WIDGETS, 0) | query_string
        self.url.receive(dict(query_string))
        self.fields.begin_run()
        self.draw()

    def run(self, messages: list[dict]) -> list[tuple[str, object]]:
        """Answer messages in one run; return the deltas of the response."""
        self.fields.begin_run()
        edited: dict[str, object] = {}
        for message in messages:
            for name in self.fields.receive(message["widgets"]):
                edited[name] = message["widgets"][name]
        self.view |= edited
        if "text" in edited and "layer" not in edited:
            self.view["layer"] = ("of", edited["text"])
        for message in messages:
            if "click" in message:
                self.view["head"] = message["click"]
        newest = messages[-1]["url"]
        stepped = any(message.get("stepped") for message in messages)
        whole = not all(message.get("fragment") for message in messages)
        if self.url.receive(newest) or stepped:
            self.view |= newest
            if stepped:
                self.url.written.clear()
        deltas: list[tuple[str, object]] = []
        if self.view != self.url.newest() or self.url.reported != self.view:
            if self.view != self.url.newest():
                self.url.written.append(dict(self.view))
            deltas.append(("url", dict(self.view)))
        return deltas + self.draw(whole)

    def draw(self, whole: bool = True) -> list[tuple[str, object]]:
        fields, ack = self.fields, "ack" if whole else "ack_of_fragment"
        widgets = WIDGETS if whole else FRAGMENT
        changed = [n for n in widgets if fields.register(n, n, self.view[n], changed=False)]
        key = ACKNOWLEDGEMENT if whole else f"{ACKNOWLEDGEMENT}_fragment"
        fields.register(ack, key, fields.acknowledgement(), changed=True)
        return [*((n, self.view[n]) for n in changed), (ack, fields.acknowledgement())]


class Visit(RuleBasedStateMachine):
    """A browser and a server with two slow, ordered connections between them."""

    @initialize()
    def open(self) -> None:
        self.n_acts = 0
        self.url: dict[str, object] = dict.fromkeys(WIDGETS, 0)
        self.session = Session(self.url)
        self.widgets: dict[str, object] = {**self.url, "ack": UNKNOWN}
        self.history, self.at = [self.url], 0
        self.up: deque[dict] = deque()
        self.down: deque[tuple[str, object]] = deque()
        self.last: dict[str, list[object]] = {name: [0] for name in WIDGETS}

    def send(self, **more: object) -> None:
        self.up.append({"widgets": dict(self.widgets), "url": self.url, **more})

    @rule(name=st.sampled_from(WIDGETS))
    def edit(self, name: str) -> None:
        self.n_acts += 1
        self.widgets[name] = self.n_acts
        self.send(fragment=name in FRAGMENT)
        # Streamlit merges requests and runs callbacks last: in one run, a callback's value can win.
        unanswered = [message["click"] for message in self.up if "click" in message]
        self.last[name] = [
            self.n_acts,
            *(unanswered if name == "head" else ()),
            *self.stepped(name),
        ]
        if name == "text":  # and the text's callback leaves a layer alone that was edited too
            self.last["layer"] = [("of", self.n_acts), *self.last["layer"]]

    @rule()
    def click(self) -> None:
        self.n_acts += 1
        self.send(click=self.n_acts, fragment=True)
        self.last["head"] = [self.n_acts, *self.stepped("head")]

    def stepped(self, name: str) -> list[object]:
        """The value of an unread step: merged with a later edit into one run, the step wins."""
        return [message["url"][name] for message in self.up if message.get("stepped")]

    @rule(most=st.integers(1, 5))
    def answer(self, most: int) -> None:
        messages = [self.up.popleft() for _ in range(min(most, len(self.up)))]
        if messages:
            self.down.extend(self.session.run(messages))

    @rule(most=st.integers(1, 6))
    def draw(self, most: int) -> None:
        for _ in range(min(most, len(self.down))):
            name, value = self.down.popleft()
            if name != "url":
                self.widgets[name] = value
            elif value != self.url:  # the browser adds no step if nothing changes
                self.url = value
                self.history[self.at + 1 :] = [value]
                self.at += 1

    @rule()
    def lose_connection(self) -> None:
        """What is on its way is lost; the browser sends its values and clicks again.

        One edit can be lost: if a response overwrote it in the browser before its message arrived.
        The text's callback then sets the layer.
        """
        for name in WIDGETS if self.up else ():
            self.last[name] = [self.widgets[name], *self.last[name]]
        if self.up:
            self.last["layer"] = [("of", self.widgets["text"]), *self.last["layer"]]
        clicks = [message["click"] for message in self.up if "click" in message]
        self.up.clear()
        self.down.clear()
        self.send()
        for click in clicks:
            self.send(click=click)

    @precondition(lambda self: not self.up and not self.down)
    @rule(by=st.sampled_from((-1, 1)))
    def step(self, by: int) -> None:
        """The browser delays a step through its history until the server is at rest."""
        if 0 <= self.at + by < len(self.history):
            self.at += by
            self.url = self.history[self.at]
            self.send(stepped=True)
            self.last = {name: [value] for name, value in self.url.items()}

    @precondition(lambda self: not self.down)
    @rule()
    def restart(self) -> None:
        """The new session draws the view of the query string, then takes the values as edits."""
        messages = list(self.up)
        self.lose_connection()
        self.session = Session(self.url)
        if any(message.get("stepped") for message in messages):
            self.widgets |= self.url  # a step means its query string
            self.up.clear()
        self.down.clear()

    def teardown(self) -> None:
        while self.up or self.down:
            self.answer(5)
            self.draw(99)
        for name in WIDGETS:
            shown = self.widgets[name]
            assert shown == self.session.view[name]
            assert shown in self.last[name], (name, shown, self.last[name])
        assert self.url == self.session.view


TestVisit = Visit.TestCase
TestVisit.settings = settings(max_examples=120, stateful_step_count=30, deadline=None)


def test_a_value_is_an_edit_if_it_differs_from_what_the_browser_had_drawn() -> None:
    layer = WidgetField()
    layer.must_set(3, 1)
    assert not layer.receive(3, 1)
    assert not layer.must_set(3, 2)  # in sync
    assert layer.receive(4, 2) and not layer.must_set(4, 3)
    assert layer.must_set(5, 4)
    assert not layer.receive(4, 3)  # from before the response
    assert layer.receive(4, 4)  # the response was drawn: the user has set it back
    assert layer.must_set(5, 5)
    assert layer.receive(7, 4)  # an edit, before the 5 was drawn or after its half
    layer.must_set(9, 6)
    assert not layer.receive(7, 5)  # the browser shows it still, and the 9 is on its way


def test_a_message_without_the_widget_or_of_an_earlier_session_says_nothing() -> None:
    before, after = WidgetFields(), WidgetFields()
    for fields in (before, after):
        fields.begin_run()
        fields.register("l", "layer", 3, changed=False)
        fields.register("a", ACKNOWLEDGEMENT, "", changed=True)
        assert list(fields.receive({"l": 3})) == list(fields.receive({})) == []
    before.forget_reported()
    assert before.register("l", "layer", 3, changed=False)
    assert after.register("l", "layer", 5, changed=True)
    assert list(after.receive({"l": 3, "a": before.acknowledgement()})) == []
    assert list(after.receive({"l": 3, "a": after.acknowledgement()})) == ["l"]
