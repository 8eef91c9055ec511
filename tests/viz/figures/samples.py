"""Small figures of positions, with their input arrays."""

import numpy as np

from viz.figures.positions import (
    dimension_curves,
    encoding_heatmap,
    matrix_heatmap,
    wavelength_chart,
)

RANDOM = np.random.default_rng(0)
TABLE = RANDOM.normal(size=(5, 3)).astype(np.float32)
NAMES = {"x_title": "key", "y_title": "query", "top": 2.0}

FIGURES = {
    "encoding": lambda **k: encoding_heatmap(
        TABLE, rows=[0, 2, 4, 6, 8], columns=[0, 3, 6], top=1.5, **k
    ),
    "dimensions": lambda **k: dimension_curves(TABLE, [0, 4, 7], **k),
    "wavelengths": lambda **k: wavelength_chart(np.array([6.3, 20.0, 63.0]), 50, 1, **k),
    "matrix": lambda translate=str: matrix_heatmap(TABLE, **NAMES, unit=translate("value")),
}


def holds(drawn, wanted) -> None:
    """Compare a packed array with the expected numbers."""
    assert isinstance(drawn, np.ndarray) and drawn.dtype == np.float32
    np.testing.assert_array_equal(drawn, np.asarray(wanted, dtype=np.float32))
