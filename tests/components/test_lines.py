import pytest

from model import load_model
from tests.components.explore import RECORD_TEXT, pixels

pytestmark = pytest.mark.browser


def test_hovering_over_a_token_shows_its_lines_alone_and_their_weights(board):
    """The cross-attention of a translation: 8 queries and 7 keys."""
    board.page.evaluate(RECORD_TEXT)
    board.draw("decoder?part=translate&view=lines", "sync", "stack_lines")
    lines = board.part("stack_lines").locator("canvas")
    box = lines.bounding_box()

    def inked() -> int:
        image = pixels(lines)
        width = image.shape[1]
        return int((image[:, int(0.4 * width) : int(0.6 * width), 3] > 0).sum())

    before = inked()
    capture = load_model("phrases").generate("the blue flower is not small").cross
    weights = capture.weights[1, 0]
    queries, keys = (list(names) for names in (capture.tokens, capture.key_tokens))
    for side, token in (("queries", 2), ("keys", 1)):
        lines.evaluate("canvas => { canvas.written = []; }")
        half = 0.5 if side == "keys" else 0  # the shorter list is centred on the longer one
        y = 4 + (token + 0.5 + half) * (box["height"] - 8) / 8
        lines.hover(position={"x": 20 if side == "queries" else box["width"] - 20, "y": y})
        assert 0 < inked() < before
        if side == "queries":
            pairs = zip(keys, weights[token], strict=True)
            expected = [*queries, *(f"{name}  {weight:.4f}" for name, weight in pairs)]
        else:
            pairs = zip(queries, weights[:, token], strict=True)
            expected = [*(f"{weight:.4f}  {name}" for name, weight in pairs), *keys]
        assert lines.evaluate("canvas => canvas.written.slice(-15)") == expected
    board.page.mouse.move(5, 890)
    assert inked() == before
