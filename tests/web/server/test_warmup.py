"""Process-wide configuration by the warm-up."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys, threading, torch
from threadpoolctl import threadpool_info, threadpool_limits
torch.set_num_threads(2)
import numpy
threadpool_limits(2, user_api="blas")
from web.server import warmup as warm
warm.use_one_thread()
import scipy.linalg  # has its own OpenBLAS
later = threading.Thread(target=lambda: print(torch.get_num_threads()))
later.start(), later.join()
print(*[pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"])
torch.set_num_threads(2)
warm.start()
warm.finished.wait()
print(hasattr(sys.modules.get("pandas"), "Series"))
warm.start().join()
from transformers.utils import logging
visitor = threading.Thread(
    target=lambda: print(logging.is_progress_bar_enabled(), torch.get_num_threads())
)
visitor.start(), visitor.join()
"""


@pytest.mark.slow
def test_the_warm_up_limits_threads_imports_pandas_and_turns_off_progress_bars() -> None:
    command = [sys.executable, "-c", PROGRAM]  # a process that has imported nothing
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1", "1", "True", "False", "1"]
