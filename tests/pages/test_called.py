"""What one head is called, asked for by itself."""

import pytest

from web.cache import captures

SENTENCE = "One two three one two."


@pytest.mark.parametrize("model", ["scratch", "minilm", "smollm2"])
def test_a_head_asked_for_alone_is_called_as_among_all(model: str) -> None:
    for layer, heads in enumerate(captures.head_labels(model, SENTENCE, None)):
        for head, label in enumerate(heads):
            assert captures.head_label(model, SENTENCE, None, layer, head) == label
