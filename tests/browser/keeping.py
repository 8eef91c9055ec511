"""Pool of browser pages that tests reuse.

In a new profile, Chromium reads and compiles all of Streamlit's JavaScript. This takes three times
as long as a reload. The pool therefore clears a used page and gives it to a later test.
"""

from collections import defaultdict
from collections.abc import Callable

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.visitor import PATIENCE

# The effect of these methods survives a reload. A page on which a test calls one is not reused.
LASTING = ("add_cookies", "add_init_script", "new_cdp_session", "on", "once")
LASTING += ("route", "route_web_socket", "set_offline")


class Pages:
    """Pool of the pages of one browser."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.idle: defaultdict[str, list[Page]] = defaultdict(list)
        self.kinds: dict[Page, str] = {}
        self.altered: set[Page] = set()

    def take(self, address: str, new: bool, profile: dict[str, object]) -> Page:
        """Return a page without stored state; with ``new``, the browser's cache is empty too.

        The profile has the options of the browser's context.
        """
        look = {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}}
        look |= {name: profile.pop(name) for name in look if name in profile}
        kind = f"{address} {sorted(profile.items())}"
        page = self.idle[kind].pop() if self.idle[kind] and not new else self._make(profile)
        self.kinds[page] = kind
        page.set_viewport_size(look["viewport"])
        page.emulate_media(color_scheme=look["color_scheme"])
        return page

    def _make(self, profile: dict[str, object]) -> Page:
        context = self.browser.new_context(**profile)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        for owner in (page, context):
            for name in LASTING:
                if hasattr(owner, name):
                    setattr(owner, name, self._record_call(page, getattr(owner, name)))
        return page

    def _record_call(self, page: Page, method: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            self.altered.add(page)
            return method(*args, **kwargs)

        return call

    def hand_out(self, page: Page) -> None:
        """Start to record calls that prevent the reuse of a page."""
        self.altered.discard(page)

    def give_back(self, page: Page, still: str) -> None:
        """Clear the state of a page, and keep the page for a later test.

        ``still`` is the address of a document of the same server that runs no script: on the same
        site, the browser keeps its process, and with it the compiled code.
        """
        if page in self.altered or page.context.pages != [page]:
            page.context.close()
            return
        page.goto(still)
        page.mouse.move(-1, -1)
        page.evaluate(
            "() => { localStorage.clear(); sessionStorage.clear();"
            " indexedDB.deleteDatabase('headlight'); }"
        )
        page.context.clear_cookies()
        # The context's own method is wrapped by `_record_call`: call the method of the class.
        devtools = BrowserContext.new_cdp_session(page.context, page)
        devtools.send("Page.resetNavigationHistory")
        devtools.detach()
        self.idle[self.kinds[page]].append(page)
