"""Small figures of positions and of offsets, with their input arrays."""

import numpy as np

from viz.figures.offsets import (
    matrix_heatmap,
    offset_curve,
    score_curve,
    shift_overlay,
    slopes_chart,
)
from viz.figures.positions import (
    dimension_curves,
    encoding_heatmap,
    similarity_heatmap,
    wavelength_chart,
)
from viz.figures.rotations import rotated_pair

RANDOM = np.random.default_rng(0)
TABLE = RANDOM.normal(size=(5, 3)).astype(np.float32)
SQUARE = RANDOM.uniform(-1, 1, size=(4, 4)).astype(np.float32)
OFFSETS = np.arange(-3, 4)
BAND = tuple(RANDOM.normal(size=(3, 7)).astype(np.float32))
NAMES = {"x_title": "key", "y_title": "query", "top": 2.0}

FIGURES = {
    "encoding": lambda **k: encoding_heatmap(
        TABLE, rows=[0, 2, 4, 6, 8], columns=[0, 3, 6], top=1.5, **k
    ),
    "dimensions": lambda **k: dimension_curves(TABLE, [0, 4, 7], **k),
    "wavelengths": lambda **k: wavelength_chart(np.array([6.3, 20.0, 63.0]), 50, 1, **k),
    "similarity": lambda **k: similarity_heatmap(SQUARE, [0, 2, 4, 6], **k),
    "matrix": lambda **k: matrix_heatmap(TABLE, **NAMES, **k),
    "shift": lambda **k: shift_overlay(TABLE[:, 0], TABLE[:, 1], **k),
    "offsets": lambda **k: offset_curve(OFFSETS, *BAND, name="a", y_title="cosine", **k),
    "score": lambda **k: score_curve(OFFSETS, BAND[0], 2, x_title="offset", y_title="q · k", **k),
    "rotated": lambda **k: rotated_pair(SQUARE[:2, :2], SQUARE[2:, :2], top=1.0, **k),
    "slopes": lambda **k: slopes_chart(np.array([0.5, 0.25, 1 / 256]), **k),
}


def holds(drawn, wanted) -> None:
    """Compare a packed array with the expected numbers."""
    assert isinstance(drawn, np.ndarray) and drawn.dtype == np.float32
    np.testing.assert_array_equal(drawn, np.asarray(wanted, dtype=np.float32))
