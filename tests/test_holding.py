"""The soak test's regression line through a server's memory is correct."""

import numpy as np

from benchmarks.holding import Reading, growth, rows, slopes

HOURS = np.arange(120) / 360  # a reading every ten seconds


def drifting(rng: np.random.Generator, correlation: float) -> np.ndarray:
    """Noise about 1,000 MB, in which each value is correlated with the previous value."""
    noise = rng.normal(0, 5, len(HOURS))
    for i in range(1, len(noise)):
        noise[i] += correlation * noise[i - 1]
    return 1_000 + noise


def test_the_slope_of_a_straight_line_is_exact() -> None:
    slope, error = growth(HOURS, 1_000 + 37 * HOURS)
    assert np.allclose((slope, error), (37, 0), atol=1e-6)
    assert all(map(np.isnan, growth(HOURS[:9], HOURS[:9])))


def test_memory_without_growth_is_rarely_reported_as_growing() -> None:
    rng = np.random.default_rng(21)
    for correlation in (0.0, 0.5, 0.8):
        fits = [growth(HOURS, drifting(rng, correlation)) for _ in range(300)]
        outside = np.mean([abs(slope) > 2 * error for slope, error in fits])
        assert 0.01 < outside < 0.12, correlation


def test_rows_and_slopes_are_computed_from_the_readings() -> None:
    readings = [Reading(m / 2, 900 + 2 * m, 500 + m, 7, 40 + m, 50) for m in range(1, 41)]
    first, second = rows(readings, 10)[:2]
    assert first == "| 0 to 10 | 920 | 902 | 938 | 510 | 7 | 50 | 50 |"
    assert second == "| 10 to 20 | 959 | 940 | 978 | 530 | 7 | 70 | 50 |"
    lines = slopes(readings, 10).splitlines()
    assert lines[0] == "memory after 10 minutes: +240 ± 0 MB an hour"
    assert lines[2] == "the rest after 10 minutes: +120 ± 0 MB an hour"
