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
LASTING = """add_cookies add_init_script add_locator_handler emulate_media expose_binding
    expose_function grant_permissions new_cdp_session on once route route_from_har route_web_socket
    set_extra_http_headers set_geolocation set_offline set_viewport_size unroute""".split()


class Pages:
    """The pages of one browser, in use and at rest."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.at_rest: defaultdict[str, list[Page]] = defaultdict(list)
        self.watched: set[Page] = set()
        self.altered: set[Page] = set()

    def take(self, kind: str, profile: dict[str, object], new: bool) -> Page:
        """A page that is as good as new, or indeed is.

        Args:
            kind: Pages of one kind may stand in for one another.
            profile: Options of the browser's context.
            new: Nothing may have been loaded before, not even into the browser's cache.
        """
        if self.at_rest[kind] and not new:
            return self.at_rest[kind].pop()
        context = self.browser.new_context(**profile)
        context.set_default_timeout(PATIENCE)
        return context.new_page()

    def watch(self, page: Page) -> None:
        """From now on, see what is done to the page itself."""
        self.altered.discard(page)
        if page in self.watched:
            return
        self.watched.add(page)
        for owner in (page, page.context):
            for name in LASTING:
                if hasattr(owner, name):
                    setattr(owner, name, self._seen(page, getattr(owner, name)))

    def _seen(self, page: Page, act: Callable[..., object]) -> Callable[..., object]:
        def do(*what: object, **how: object) -> object:
            self.altered.add(page)
            return act(*what, **how)

        return do

    def give_back(self, kind: str, page: Page, still: str) -> None:
        """Empty a page and keep it.

        Args:
            kind: As it was taken.
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
        self.at_rest[kind].append(page)
