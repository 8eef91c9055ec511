"""Browser pages that serve one test after another.

In a new profile Chromium reads, compiles and warms up all of Streamlit's JavaScript, which takes
three times as long as a reload does: so a page that a test is done with is emptied of all that a
visit leaves behind, and handed on.
"""

from collections import defaultdict
from collections.abc import Callable

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.visitor import PATIENCE

# What these do outlasts a reload. A test may do it; its page then serves nobody else.
LASTING = (
    "add_cookies",
    "add_init_script",
    "add_locator_handler",
    "emulate_media",
    "expose_binding",
    "expose_function",
    "grant_permissions",
    "new_cdp_session",
    "on",
    "once",
    "route",
    "route_from_har",
    "route_web_socket",
    "set_extra_http_headers",
    "set_geolocation",
    "set_offline",
    "set_viewport_size",
    "unroute",
)


class Pages:
    """The pages of one browser, in use and at rest."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.resting: defaultdict[str, list[Page]] = defaultdict(list)
        self.kinds: dict[Page, str] = {}
        self.altered: set[Page] = set()

    def take(self, address: str, new: bool, profile: dict[str, object]) -> Page:
        """A page that remembers nothing.

        Args:
            address: Of the server that it is for.
            new: Nothing may have been loaded before, not even into the browser's cache.
            profile: Options of the browser's context.
        """
        look = {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}}
        look |= {name: profile.pop(name) for name in look if name in profile}
        kind = f"{address} {sorted(profile.items())}"
        page = self.resting[kind].pop() if self.resting[kind] and not new else self._make(profile)
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
                    setattr(owner, name, self._seen(page, getattr(owner, name)))
        return page

    def _seen(self, page: Page, act: Callable[..., object]) -> Callable[..., object]:
        def do(*what: object, **how: object) -> object:
            self.altered.add(page)
            return act(*what, **how)

        return do

    def hand_out(self, page: Page) -> None:
        """From now on, what is done to the page itself is a test's doing."""
        self.altered.discard(page)

    def give_back(self, page: Page, still: str) -> None:
        """Empty a page and keep it.

        Args:
            page: One that a test is done with.
            still: Address of a document of the same server that runs no script. On the same site,
                the browser stays in its process, where all is compiled.
        """
        if page in self.altered or page.context.pages != [page]:
            page.context.close()
            return
        page.goto(still)
        page.mouse.move(-1, -1)
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.context.clear_cookies()
        # Not the context's own: that one is watched.
        devtools = BrowserContext.new_cdp_session(page.context, page)
        devtools.send("Page.resetNavigationHistory")
        devtools.detach()
        self.resting[self.kinds[page]].append(page)
