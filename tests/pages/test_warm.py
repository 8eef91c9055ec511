"""What holds for the whole process is set once, when the application starts."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def fresh(program: str) -> list[str]:
    """The words that a program prints in a process of its own, to which torch is known."""
    command = [sys.executable, "-c", f"import torch\n{program}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_what_sessions_share_leaves_the_threads_alone() -> None:
    asked = "torch.set_num_threads(2)\nimport pages.shared.captures, pages.shared.compared\n"
    assert fresh(asked + "print(torch.get_num_threads())") == ["2"]


def test_one_thread_holds_for_every_library_and_every_later_thread() -> None:
    program = """
import threading
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
torch.set_num_threads(2)
threadpool_limits(2, user_api="blas")
from pages.shared import warm
warm.one_thread()
import model.analysis.headmap  # brings scikit-learn, which brings a library of its own
later = threading.Thread(target=lambda: print(torch.get_num_threads()))
later.start(), later.join()
print(*[pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"])
"""
    assert fresh(program) == ["1", "1", "1"]


def test_a_warm_server_has_one_thread_and_draws_no_progress_bars() -> None:
    program = """
from threading import Thread
from pages.shared import warm
torch.set_num_threads(2)
warm.start()
warm.start().join()
from transformers.utils import logging
visitor = Thread(target=lambda: print(logging.is_progress_bar_enabled(), torch.get_num_threads()))
visitor.start(), visitor.join()
"""
    assert fresh(program) == ["False", "1"]


def test_nobody_draws_while_pandas_is_half_imported() -> None:
    program = """
import sys
from pages.shared import warm
warm.start()
warm.finished.wait()
print(hasattr(sys.modules.get("pandas"), "Series"), flush=True)
warm.start().join()
"""
    assert fresh(program) == ["True"]
