"""Lists the project's files that a typed sentence enters on the server.

python -m benchmarks.trace
"""

import argparse
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from tests.pages.visit import open_page

ROOT = Path(__file__).parents[1]
SENTENCE = "The boy who saw the girls was happy."


def traced(sentence: str) -> Counter[str]:
    """Return the files that ran after a sentence was typed on Explore, with their calls."""
    page, calls = open_page(""), Counter[str]()

    def count(frame: FrameType, event: str, _argument: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(ROOT)) and ".venv" not in file:
            calls[file.removeprefix(f"{ROOT}/")] += 1

    box = page.text_input(key="text").set_value(sentence)
    threading.setprofile(count)  # of the thread that runs the page, which starts now
    try:
        box.run()
    finally:
        threading.setprofile(None)
    return Counter({file: n for file, n in calls.items() if not file.startswith("tests/")})


def main(arguments: Sequence[str] = ()) -> None:
    """Print the files by package, and their number."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trace")
    parser.add_argument("--smoke", action="store_true", help="the same; it takes seconds")
    parser.parse_args(arguments)
    calls = traced(SENTENCE)
    for file, count in sorted(calls.items()):
        print(f"{count:7,} {file}")
    print(f"{len(calls)} files")


if __name__ == "__main__":
    main(sys.argv[1:])
