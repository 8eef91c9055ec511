"""The label of a single head."""

import pytest

from web.cache import captures

SENTENCE = "One two three one two."


@pytest.mark.parametrize("model", ["scratch", "minilm", "smollm2"])
def test_the_label_of_a_single_head_equals_its_label_among_all_heads(model: str) -> None:
    for layer, heads in enumerate(captures.head_labels(model, SENTENCE, None)):
        for head, label in enumerate(heads):
            assert captures.head_label(model, SENTENCE, None, layer, head) == label
