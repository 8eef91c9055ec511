"""Queueing simulation of ten thousand students: ``python -m benchmarks.queueing``.

The visitors of a server process share one core, because its threads share one interpreter: each
running job gets an equal part. A student stays with one process at any load. The time of a run
comes from ``python -m benchmarks.lecture``; docs/capacity.md has the conclusions.
"""

import argparse
import heapq
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SEED = 20
SERVICE = 0.040
"""CPU seconds of a new sentence of 16 tokens, as on a first visit."""

SPREAD = 0.3
"""Its relative standard deviation (an assumption)."""


def shared(arrivals: np.ndarray, work: np.ndarray, cores: int = 1) -> np.ndarray:
    """End times of jobs that share cores equally, each using at most one core.

    Args:
        arrivals: Ascending seconds, (n,).
        work: CPU seconds of each job, (n,).
        cores: Number of cores.

    Returns:
        (n,), seconds.
    """
    ends = np.empty(len(arrivals))
    # All present jobs progress at the same rate. One clock counts the work per job, and a job ends
    # when the clock has advanced by its work.
    there: list[tuple[float, int]] = []
    now = given = 0.0
    coming = [*enumerate(arrivals.tolist()), (-1, np.inf)]
    for job, arrival in coming:
        while there:
            rate = min(1.0, cores / len(there))
            end = now + (there[0][0] - given) / rate
            if end > arrival:
                given += (arrival - now) * rate
                break
            given, ended = heapq.heappop(there)
            now = ends[ended] = end
        now = arrival
        if job >= 0:
            heapq.heappush(there, (given + work[job], job))
    return ends


@dataclass(frozen=True)
class Hall:
    """Students and their server processes."""

    n_students: int
    n_processes: int
    every: float = 6.0
    service: float = SERVICE
    by_turns: bool = True
    """Students are distributed in turn; otherwise at random, as by a hash of the cookie."""

    def waits(self, seconds: float, seed: int = SEED) -> np.ndarray:
        """Response times of all sentences in some seconds, after a settling time of a tenth.

        Args:
            seconds: Duration after the settling time.
            seed: Seed of the random numbers.
        """
        draw = np.random.default_rng(seed)
        at = (
            np.arange(self.n_students) % self.n_processes
            if self.by_turns
            else draw.integers(self.n_processes, size=self.n_students)
        )
        found = []
        for n_here in np.bincount(at, minlength=self.n_processes).tolist():
            span = 1.1 * seconds
            arrivals = np.sort(draw.uniform(0, span, draw.poisson(n_here * span / self.every)))
            shape = 1 / SPREAD**2
            work = draw.gamma(shape, self.service / shape, len(arrivals))
            took = shared(arrivals, work) - arrivals
            found.append(took[arrivals > 0.1 * seconds])
        return np.concatenate(found)


def most(n_processes: int, limit: float, every: float, service: float, by_turns: bool) -> int:
    """Largest number of students whose 95th percentile is within a limit."""
    full = n_processes * every / service
    seconds = max(120, 2400 / n_processes)  # fewer processes need more time for the same precision

    def hall(part: int) -> Hall:
        return Hall(int(full * part / 100), n_processes, every, service, by_turns)

    def is_slow(part: int) -> bool:
        return bool(np.quantile(hall(part).waits(seconds), 0.95) > limit)

    return hall(max(0, bisect_left(range(1, 101), True, key=is_slow))).n_students


def main(
    service: float = SERVICE,
    machines: Sequence[int] = (1, 10, 100),
    cores: int = 2,
    limit: float = 1.5,
) -> None:
    """Print the capacity by number of machines, and response times of ten thousand students."""
    print(f"{1000 * service:.0f} ms of a core for a sentence; {cores} processes on a machine")
    print("| machines | a sentence every | students, by turns | at random |\n|---:|---:|---:|---:|")
    for count in machines:
        for every in (6, 30):
            held = [most(count * cores, limit, every, service, turns) for turns in (True, False)]
            print(f"| {count} | {every} s | {held[0]:,} | {held[1]:,} |", flush=True)
    print("\n| 10,000 students on | busy | median | 95 % | 99 % |\n|---:|---:|---:|---:|---:|")
    for part in (0.98, 0.9, 0.8, 0.7, 0.5):
        n_processes = int(np.ceil(10_000 * service / 6 / part / cores)) * cores
        waits = Hall(10_000, n_processes, 6, service, by_turns=False).waits(120)
        busy = 10_000 * service / 6 / n_processes
        quantiles = " | ".join(f"{q:.2f} s" for q in np.quantile(waits, [0.5, 0.95, 0.99]))
        print(f"| {n_processes // cores} machines | {busy:.0%} | {quantiles} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", type=float, default=SERVICE, help="seconds of a core a run")
    parser.add_argument("--machines", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--cores", type=int, default=2, help="processes on each")
    parser.add_argument("--limit", type=float, default=1.5, help="seconds, of 95 %%")
    options = parser.parse_args()
    main(options.service, options.machines, options.cores, options.limit)
