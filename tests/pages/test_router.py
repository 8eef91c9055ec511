"""The router in a process of its own."""

import subprocess
import sys

from tests.pages.conftest import ROUTER

PROGRAM = """
import sys
from streamlit.testing.v1 import AppTest

page = AppTest.from_file(sys.argv[1], default_timeout=60).run()
assert not page.exception, page.exception
"""


def test_no_folder_of_a_page_hides_a_package() -> None:
    """Streamlit puts ``pages/`` first on the module path; a fresh process has imported nothing."""
    root = ROUTER.parents[1]
    subprocess.run([sys.executable, "-c", PROGRAM, str(ROUTER)], cwd=root, check=True, timeout=120)
