"""The message of a capture view."""

import json

import numpy as np

from tests.viz.test_canvas import unpack
from viz.canvas import MASKED
from viz.view_payload import subject_part, view_payload


def part(weights: np.ndarray, names: list[str], **how: object):
    options = {
        "side": "left",
        "hue": "left",
        "title": "tiny · L0·H0",
        "translate": str,
        "store": lambda _: "url",
    }
    return subject_part(weights, names, **{**options, **how})


def test_a_message_has_the_cells_of_both_subjects_in_order_and_their_groups() -> None:
    one = np.float32([[[[1, 0], [0.25, 0.75]]]])  # 1 layer, 1 head, 2 units
    other = np.float32(np.full((2, 1, 3, 3), 1 / 3))
    groups = [[[0], [0, 1]], [[1], [2]]]
    sent = view_payload([part(one, ["a", "b"]), part(other, ["a", "b", "c"])], groups, said="x")
    header, cells = unpack(sent)
    assert (header["groups"], header["said"]) == (groups, "x")
    assert [each["size"] for each in header["subjects"]] == [2, 3]
    assert cells.tolist() == [40_000, 0, 10_000, 30_000, *[13_333] * 18]


def test_each_mask_has_a_figure_and_each_layer_names_its_own() -> None:
    causal = np.tril(np.ones((3, 3), dtype=bool))
    band = causal & ~np.tril(np.ones((3, 3), dtype=bool), k=-2)
    weights = np.float32(np.stack([causal, band, causal])[:, None]) / 3
    header, cells = part(weights, ["x", "y", "z"], allowed=np.stack([causal, band, causal]))
    assert (cells == MASKED).sum(axis=(1, 2, 3)).tolist() == [3, 4, 3]
    first, second, third = header["figure_of"]
    assert first == third != second and len(header["figures"]) == 2
    slashed = [json.dumps(figure["layout"]["shapes"]) for figure in header["figures"]]
    assert slashed[0] != slashed[1]
    assert all("z" not in figure["data"][0] for figure in header["figures"])


def test_an_enlarged_head_has_every_weight_of_a_long_sentence() -> None:
    weights = np.zeros((1, 2, 130, 130), np.float32)
    weights[0, 1, 129, 128] = 0.25
    stored: list[bytes] = []
    header, cells = part(
        weights, list(map(str, range(130))), store=lambda b: stored.append(b) or ""
    )
    assert header["size"] == 130 and cells.shape == (1, 2, 36, 36)
    exact = np.frombuffer(stored[0][0 : len(stored[0])], "<u2").reshape(weights.shape)
    assert exact[0, 1, 129, 128] == exact.sum() == 10_000
