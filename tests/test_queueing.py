"""The simulation of docs/capacity.md agrees with queueing theory."""

from math import factorial

import numpy as np
import pytest

from benchmarks.queueing import Hall, shared

N_JOBS = 60_000


def erlang_c(n_servers: int, load: float) -> float:
    """The probability that all servers of an M/M/c queue are busy, at a load in servers."""
    full = load**n_servers / factorial(n_servers) * n_servers / (n_servers - load)
    return full / (full + sum(load**k / factorial(k) for k in range(n_servers)))


def mean_time(work: np.ndarray, cores: int, load: float) -> float:
    """Mean seconds per job, for jobs of one second's work that arrive at random."""
    arrivals = np.cumsum(np.random.default_rng(3).exponential(1 / load, len(work)))
    return float(np.mean(shared(arrivals, work, cores) - arrivals))


def test_erlang_c_equals_values_by_hand():
    assert erlang_c(1, 0.8) == pytest.approx(0.8)
    assert erlang_c(2, 1.5) == pytest.approx(9 / 14)


@pytest.mark.parametrize(("cores", "load"), [(1, 0.7), (2, 1.5), (5, 4.0)])
def test_exponential_work_gives_the_waits_of_erlang(cores: int, load: float):
    # With exponential work, sharing changes which job ends first, but not the mean number of jobs.
    work = np.random.default_rng(4).exponential(1, N_JOBS)
    expected = 1 + erlang_c(cores, load) / (cores - load)
    assert mean_time(work, cores, load) == pytest.approx(expected, rel=0.06)


def test_on_one_shared_core_only_the_mean_of_the_work_matters():
    constant, expected = np.ones(N_JOBS), 1 / (1 - 0.6)
    assert mean_time(constant, 1, 0.6) == pytest.approx(expected, rel=0.05)


def test_end_times_equal_values_by_hand():
    # The second job arrives during the first, so they share. The third job has the core alone.
    ends = shared(np.array([0.0, 1.0, 9.0]), np.array([2.0, 3.0, 0.5]))
    np.testing.assert_allclose(ends, [3.0, 5.0, 9.5])
    both = shared(np.array([0.0, 1.0, 1.0]), np.array([2.0, 3.0, 0.5]), cores=2)
    np.testing.assert_allclose(both, [2.25, 4.25, 1.75])


def test_students_stay_with_their_process():
    # Of seven students, the first of three processes has three: 50 % more work than the others.
    hall = Hall(7, 3, every=1.0, service=0.2)
    assert len(hall.waits(500)) == pytest.approx(7 * 500, rel=0.05)
    assert np.mean(Hall(6, 3, 1.0, 0.2).waits(3000)) == pytest.approx(0.2 / (1 - 0.4), rel=0.05)
