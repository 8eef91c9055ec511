"""The cells of tables, which Streamlit's own button saves as CSV."""

import numpy as np
import pandas as pd
import pytest

from web.widgets.tables import GUARD, cells


@pytest.mark.parametrize("text", ["=1+1", "+a", "-", "@SUM(A1)", "\t=1", "\r=1", "＝1", "-1+1"])
def test_text_that_starts_like_a_formula_is_escaped(text):
    frame = cells(pd.DataFrame({text: [text]}, index=[text]))
    for found in (frame.columns[0], frame.index[0], frame.iloc[0, 0]):
        assert found == GUARD + text


def test_other_texts_and_all_numbers_are_unchanged():
    table = pd.DataFrame(
        {"token": ["a", "[SEP]", "1-1"], "offset": ["+2", "-1", "-0.5"], "n": [1, -2, 3]}
    )
    pd.testing.assert_frame_equal(cells(table), table, check_dtype=False)
    pairs = cells(pd.DataFrame(np.eye(2, dtype=np.float32), index=["=a", "b"], columns=["b", "b"]))
    assert ([*pairs.index], [*pairs.columns]) == ([GUARD + "=a", "b"], ["b", "b"])
    assert cells(pd.DataFrame({"token": [], "weight": []})).shape == (0, 2)
    assert cells(pd.DataFrame({"w": [-0.5]})).to_csv(index=False).split() == ["w", "-0.5"]


def test_a_float32_is_saved_with_its_shortest_digits():
    weight = np.float32(0.013438879512250423)
    for column in ([weight], [float(weight)]):
        saved = cells(pd.DataFrame({"weight": column})).to_csv(index=False)
        assert saved.split() == ["weight", "0.0134388795"]
