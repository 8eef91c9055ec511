"""Browser tab without Playwright's instrumentation, with a clock inside the page.

Playwright records stack traces in every page, for which V8 parses large scripts again: Plotly took
a third longer to load. This tab uses the browser's CDP connection and enables network events only.
The clock runs inside the page, because outside calls wait while the page is busy.
"""

import json
import time
from collections import Counter
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Browser

# Records when each expression is first true, plus one frame, in milliseconds since navigation.
_CLOCK = """
(() => {
    const marks = (window.benchmarkMarks = {});
    const seen = %s;
    const look = () => {
        for (const [name, there] of Object.entries(seen))
            if (!(name in marks) && there()) {
                marks[name] = 0;
                requestAnimationFrame(() => (marks[name] = performance.now()));
            }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    window.benchmarkMoved = 0;
    new PerformanceObserver((shifts) => {
        for (const { value } of shifts.getEntries()) window.benchmarkMoved += value;
    }).observe({ type: "layout-shift", buffered: true });
})();
"""


class Tab:
    """A tab with an empty cache, inside a `with` block."""

    def __init__(self, browser: Browser, viewport: dict[str, int], slower_cpu: int = 1) -> None:
        """Store the options; the tab opens with the block.

        Args:
            browser: The browser.
            viewport: ``width`` and ``height`` in pixels.
            slower_cpu: Factor by which the CPU is throttled.
        """
        self.browser, self.viewport, self.slower_cpu = browser, viewport, slower_cpu
        self.sizes: Counter[str] = Counter()
        """Bytes that travelled, headers included, by the kind of what was asked for."""
        self.requests: dict[str, str] = {}
        """Kinds by the requests' numbers."""
        self._answers: dict[int, dict[str, Any]] = {}
        self._asked = 0

    def __enter__(self) -> Self:
        self._cdp = cdp = self.browser.new_browser_cdp_session()
        cdp.on(
            "Target.receivedMessageFromTarget", lambda e: self._receive(json.loads(e["message"]))
        )
        self._context = cdp.send("Target.createBrowserContext")["browserContextId"]
        about = {"url": "about:blank", "browserContextId": self._context}
        target = cdp.send("Target.createTarget", about)["targetId"]
        attached = cdp.send("Target.attachToTarget", {"targetId": target, "flatten": False})
        self._session = attached["sessionId"]
        self._say("Network.enable")
        self._say("Page.enable")
        self._say(
            "Emulation.setDeviceMetricsOverride", **self.viewport, deviceScaleFactor=1, mobile=False
        )
        self._say("Emulation.setCPUThrottlingRate", rate=self.slower_cpu)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cdp.send("Target.disposeBrowserContext", {"browserContextId": self._context})
        self._cdp.detach()

    def visit(self, url: str, seen: dict[str, str], limit: float = 120) -> dict[str, float]:
        """Open a page and wait until all expressions are true.

        Args:
            url: URL of the page.
            seen: JavaScript expressions by name, true once each view is painted.
            limit: Seconds until this gives up.

        Returns:
            Seconds from the navigation to the frame after each.
        """
        functions = ", ".join(f"{name}: () => Boolean({there})" for name, there in seen.items())
        self._say("Page.addScriptToEvaluateOnNewDocument", source=_CLOCK % f"{{ {functions} }}")
        self._say("Page.navigate", url=url)
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            time.sleep(0.1)
            marks = self._value("window.benchmarkMarks") or {}
            if all(marks.get(name) for name in seen):
                return {name: marks[name] / 1000 for name in seen}
        raise TimeoutError(f"{url} shows {marks}, and not all of {', '.join(seen)}")

    def rest(self, seconds: float) -> None:
        """Wait for later requests."""
        time.sleep(seconds)
        self._say("Runtime.evaluate", expression="0")

    def first_paint(self) -> float:
        """Seconds from the navigation to the first paint."""
        paint = self._value('performance.getEntriesByName("first-contentful-paint")[0].startTime')
        return float(paint) / 1000

    def moved(self) -> float:
        """Cumulative layout shift since the navigation."""
        return float(self._value("window.benchmarkMoved"))

    def _value(self, expression: str) -> Any:
        answer = self._say("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value")

    def _say(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._asked = number = self._asked + 1
        message = json.dumps({"id": number, "method": method, "params": parameters})
        self._cdp.send(
            "Target.sendMessageToTarget", {"sessionId": self._session, "message": message}
        )
        while number not in self._answers:
            self._cdp.send("Browser.getVersion")  # events are received while this waits
            time.sleep(0.005)
        return self._answers.pop(number)

    def _receive(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]] = message.get("result", {})
            return
        answer = message.get("params", {})
        if message["method"] == "Network.responseReceived":
            self.requests[answer["requestId"]] = answer["type"]
        elif message["method"] == "Network.loadingFinished":
            kind = self.requests.get(answer["requestId"], "Other")
            self.sizes[kind] += int(answer["encodedDataLength"])
