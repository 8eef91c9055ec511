"""Process-wide configuration by the warm-up."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def fresh(program: str) -> list[str]:
    """The words that a program prints in a process of its own, after ``import torch``."""
    command = [sys.executable, "-c", f"import torch\n{program}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_caches_does_not_change_the_thread_count() -> None:
    program = "torch.set_num_threads(2)\nimport web.cache.captures, web.widgets.head_comparison\n"
    assert fresh(program + "print(torch.get_num_threads())") == ["2"]


def test_use_one_thread_applies_to_every_library_and_thread() -> None:
    program = """
import threading
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
torch.set_num_threads(2)
threadpool_limits(2, user_api="blas")
from web.server import warmup as warm
warm.use_one_thread()
import model.analysis.headmap  # imports scikit-learn, which has its own OpenBLAS
later = threading.Thread(target=lambda: print(torch.get_num_threads()))
later.start(), later.join()
print(*[pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"])
"""
    assert fresh(program) == ["1", "1", "1"]


def test_the_warm_up_limits_threads_and_turns_off_progress_bars() -> None:
    program = """
from threading import Thread
from web.server import warmup as warm
torch.set_num_threads(2)
warm.start()
warm.start().join()
from transformers.utils import logging
visitor = Thread(target=lambda: print(logging.is_progress_bar_enabled(), torch.get_num_threads()))
visitor.start(), visitor.join()
"""
    assert fresh(program) == ["False", "1"]


def test_pandas_is_imported_before_the_warm_up_finishes() -> None:
    program = """
import sys
from web.server import warmup as warm
warm.start()
warm.finished.wait()
print(hasattr(sys.modules.get("pandas"), "Series"), flush=True)
warm.start().join()
"""
    assert fresh(program) == ["True"]
