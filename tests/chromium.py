"""Chromium for tests: the fixture `browser`, which a conftest imports."""

import shutil
import socket
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from benchmarks.browser import CHROMIUM_FLAGS

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Chromium uses only the last --disable-features. This list therefore repeats what Playwright turns
# off and adds the two pages of the address bar, which Chromium would load in every new context.
DISABLED_FEATURES = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect"),
    *("TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying"),
    *("AimEnabled", "PreconnectToSearch", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
)
LIGHT_CHROMIUM = (
    f"--disable-features={','.join(DISABLED_FEATURES)}",
    # Most pages are open for a few seconds: optimised code costs more than it saves.
    "--js-flags=--no-maglev --no-turbofan",
)


def outside() -> str | None:
    """An address of this machine that is not the loopback; None on one without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


# Not for the whole session: playwright's event loop would be in the way of other tests.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium, or else playwright's own."""
    system = next(filter(None, map(shutil.which, BROWSERS)), None)
    *flags, nobody = CHROMIUM_FLAGS
    flags.append(f"{nobody}, EXCLUDE {outside()}")  # this machine, as others find it
    flags.extend(LIGHT_CHROMIUM)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=system, args=flags)
        yield chromium
        chromium.close()
