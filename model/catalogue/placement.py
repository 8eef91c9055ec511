"""Where a pretrained model runs, and the numbers in which it computes."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import psutil
import torch

from model.errors import HeadlightError, check_one_of

Device = Literal["cpu", "cuda", "mps"]
Dtype = Literal["float32", "bfloat16", "float16"]

CGROUP = Path("/sys/fs/cgroup")
"""Limits of the container, if there are any (cgroup v2)."""


@dataclass(frozen=True)
class Placement:
    """The device and the numbers of a model, of at most ``max_bytes`` (None: the free memory)."""

    device: Device = "cpu"
    dtype: Dtype = "float32"
    max_bytes: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_one_of("device", self.device, get_args(Device))
        check_one_of("dtype", self.dtype, get_args(Dtype))
        if self.device != "cpu" and not getattr(torch, self.device).is_available():
            raise HeadlightError(
                "PyTorch finds no {device} device on this machine: choose cpu.", device=self.device
            )

    @property
    def torch_dtype(self) -> torch.dtype:
        """The type as torch names it."""
        dtype: torch.dtype = getattr(torch, self.dtype)
        return dtype

    @property
    def free_memory(self) -> int | None:
        """Free bytes of a CUDA device; None for a device that shares the machine's memory."""
        return int(torch.cuda.mem_get_info()[0]) if self.device == "cuda" else None


CPU = Placement()
"""The default, and the only one for models from scratch: float32 on the processor."""


def free_memory() -> int:
    """Return the bytes that the machine and its container still have."""
    free = psutil.virtual_memory().available
    with suppress(OSError, ValueError):  # no container, or "max": no limit
        most = int((CGROUP / "memory.max").read_text(encoding="utf-8"))
        used = int((CGROUP / "memory.current").read_text(encoding="utf-8"))
        free = min(free, most - used)
    return max(free, 0)
