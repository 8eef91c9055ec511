"""What stands in the cells of tables: Streamlit's own button saves it as CSV."""

import numpy as np
import pandas as pd
import pytest

from pages.shared.tables import GUARD, cells, shortest


@pytest.mark.parametrize("text", ["=1+1", "+a", "-", "@SUM(A1)", "\t=1", "\r=1", "＝1", "-1+1"])
def test_no_text_can_be_run(text):
    frame = cells(pd.DataFrame({text: [text]}, index=[text]))
    for found in (frame.columns[0], frame.index[0], frame.iloc[0, 0]):
        assert found == GUARD + text


def test_other_texts_and_all_numbers_stay_what_they_are():
    given = pd.DataFrame(
        {"token": ["a", "[SEP]", "1-1"], "offset": ["+2", "-1", "-0.5"], "n": [1, -2, 3]}
    )
    pd.testing.assert_frame_equal(cells(given), given, check_dtype=False)
    assert cells(pd.DataFrame({"w": [-0.5]})).to_csv(index=False).split() == ["w", "-0.5"]


def test_a_float32_is_saved_in_its_own_digits():
    weight = np.float32(0.013438879512250423)
    for column in ([weight], [float(weight)], np.array([weight])):
        saved = cells(pd.DataFrame({"weight": column})).to_csv(index=False)
        assert saved.split() == ["weight", "0.0134388795"]


def test_shortest_keeps_every_float32_and_every_other_number():
    weights = np.random.default_rng(0).random(2000, dtype=np.float32)
    found = shortest(weights)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found.astype(np.float32), weights)
    assert max(len(f"{value!r}") for value in found.tolist()) <= 14
    others = np.array([1 / 3, np.nan, 0.1, -np.inf])
    np.testing.assert_array_equal(shortest(others), others)


def test_an_empty_table_stays_one():
    assert cells(pd.DataFrame({"token": [], "weight": []})).shape == (0, 2)
