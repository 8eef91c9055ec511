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


def test_only_use_one_thread_limits_the_threads_of_every_library() -> None:
    program = """
import sys, threading
from threadpoolctl import threadpool_info, threadpool_limits
torch.set_num_threads(2)
import web.cache.captures, web.widgets.head_comparison
print(torch.get_num_threads())
import numpy
threadpool_limits(2, user_api="blas")
from web.server import warmup as warm
warm.use_one_thread()
import scipy.linalg  # has its own OpenBLAS
later = threading.Thread(target=lambda: print(torch.get_num_threads()))
later.start(), later.join()
print(*[pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"])
"""
    assert fresh(program) == ["2", "1", "1", "1"]


def test_the_warm_up_imports_pandas_limits_threads_and_turns_off_progress_bars() -> None:
    program = """
import sys
from threading import Thread
from web.server import warmup as warm
torch.set_num_threads(2)
warm.start()
warm.finished.wait()
print(hasattr(sys.modules.get("pandas"), "Series"))
warm.start().join()
from transformers.utils import logging
visitor = Thread(target=lambda: print(logging.is_progress_bar_enabled(), torch.get_num_threads()))
visitor.start(), visitor.join()
"""
    assert fresh(program) == ["True", "False", "1"]
