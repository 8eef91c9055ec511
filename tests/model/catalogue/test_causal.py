"""Generation with a decoder: tokens, text, options, and captures."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from tokenizers import Tokenizer, decoders, models

from model import HeadlightError, LoadedCausal
from model.capture.stacks import to_capture
from model.capture.tokens import tokenize
from model.catalogue.continuation_tokens import append_continuation
from model.catalogue.models import load_causal
from model.catalogue.token_names import token_namer
from tests.model import decoder_checkpoints
from tests.model.checkpoints import byte_level

PROMPT = "the table, it was"
DRAWN = {"max_new_tokens": 9, "temperature": 2.0, "seed": 4}


@pytest.fixture(scope="module")
def llama(decoders: dict[str, LoadedCausal]) -> LoadedCausal:
    return decoders["llama"]


@pytest.fixture(scope="module")
def written(llama):
    return llama.generate(PROMPT, **DRAWN)


def test_tokens_are_the_prompt_then_the_continuation(llama, written):
    n_prompt, n_tokens = written.n_prompt, len(written.tokens)
    assert n_tokens - n_prompt == len(written.steps) > 3
    assert "".join(written.tokens[:n_prompt]) == written.prompt == PROMPT
    assert [step.token for step in written.steps] == list(written.tokens[n_prompt:])
    assert written.capture.weights.shape == (3, 6, n_tokens, n_tokens)
    assert written.capture.text == PROMPT + written.text
    assert written.capture.tokens[:n_prompt] == llama.attend(PROMPT).tokens
    assert written.nbytes == written.capture.nbytes > written.capture.weights.nbytes


def test_row_t_is_the_attention_that_chose_token_t_plus_1(llama, written):
    """Each row again, from a pass that ends there."""
    tokens = llama.tokenize(PROMPT)
    for end in range(written.n_prompt, len(written.tokens)):
        seen, _ = llama.run_recorded(
            replace(tokens, ids=written.capture.token_ids[:end], segment_ids=(0,))
        )
        for layer, weights in enumerate(seen.weights):
            expected = written.capture.weights[layer, :, end - 1, :end]
            assert_allclose(weights[:, -1], expected, atol=1e-5)


def test_attend_and_predict_gives_the_capture_and_the_next_token_probabilities(llama):
    capture, probabilities = llama.attend_and_predict(PROMPT)
    assert_allclose(capture.weights, llama.attend(PROMPT).weights, atol=1e-6)
    logits = llama.module(torch.tensor([capture.token_ids])).logits[0, -1]
    assert_allclose(probabilities, logits.detach().softmax(-1), atol=1e-6)
    best = llama.most_probable(probabilities, 3)
    assert best[0] == (llama.token_name(int(logits.argmax())), float(probabilities.max()))
    assert best == sorted(best, key=lambda pair: -pair[1]) and len(best) == 3
    everything = llama.most_probable(probabilities, 10**6)
    assert sum(p for _token, p in everything) == pytest.approx(1, abs=1e-5)


def test_stream_yields_the_generated_tokens_and_a_seed_repeats_them(llama, written):
    stream, handed = llama.stream(PROMPT, **DRAWN), []
    while True:
        try:
            handed.append(next(stream))
        except StopIteration as done:
            assert done.value.tokens == written.tokens
            break
    assert tuple(handed) == written.steps
    assert llama.generate(PROMPT, **{**DRAWN, "seed": 5}).tokens != written.tokens


@pytest.mark.parametrize("narrowest", [{"top_k": 1}, {"top_p": 1e-9}], ids=str)
def test_drawing_from_one_token_is_greedy(llama, narrowest):
    drawn = {**DRAWN, "max_new_tokens": 5, **narrowest}
    greedy = llama.generate(PROMPT, max_new_tokens=5)
    assert llama.generate(PROMPT, **drawn).tokens == greedy.tokens


def test_a_token_can_be_forced_by_any_name_in_a_step(llama):
    free = llama.generate(PROMPT, max_new_tokens=3)
    for name, _ in free.steps[1].top_k:
        forced = llama.generate(PROMPT, max_new_tokens=2, forced={1: name})
        assert forced.steps[1].token == name and forced.steps[1].forced
        assert forced.steps[0] == free.steps[0]
        assert forced.steps[1].top_k == free.steps[1].top_k
    with pytest.raises(HeadlightError, match="cannot write nowhere"):
        llama.generate(PROMPT, forced={0: "nowhere"})


def test_an_id_without_a_token_can_be_forced(llama):
    n_tokens = llama.tokenizer.get_vocab_size()  # as in Qwen, there are three more rows
    found = [llama.token_id(f"<{n_tokens + more}>") for more in range(4)]
    assert found == [n_tokens, n_tokens + 1, n_tokens + 2, None]
    forced = llama.generate(PROMPT, max_new_tokens=2, forced={0: f"<{n_tokens + 2}>"})
    assert forced.steps[0].forced and forced.capture.token_ids[forced.n_prompt] == n_tokens + 2


def test_generation_ends_at_a_stop_an_end_token_or_the_length_limit(llama):
    answers = iter([False, False, True])
    stopped = llama.generate(PROMPT, stop=lambda: next(answers), forced={0: "a", 1: "b"})
    assert (stopped.ending, stopped.text) == ("stopped", "ab")
    ended = llama.generate(PROMPT, forced={0: " it", 1: "<|endoftext|>"})
    assert (ended.ending, ended.text) == ("end", " it")
    assert ended.tokens[-1] == "<|endoftext|>" and ended.capture.special[-1]
    forced = dict.fromkeys(range(48), "a")
    full = llama.generate(PROMPT, forced=forced)
    assert full.ending == "full" and len(full.tokens) == llama.max_len == 48
    assert llama.generate(PROMPT, forced=forced, max_new_tokens=3).ending == "limit"
    with pytest.raises(HeadlightError, match="so nothing can follow"):
        llama.generate("the " * 100)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model.generate(" "), "There is no text"),
        (lambda model: model.generate(PROMPT, beams=3), "number of beams to 1"),
        (lambda model: model.generate(PROMPT, max_new_tokens=0), "at least 1"),
        (lambda model: model.attend("it", "was"), "reads one text"),
        (lambda model: model.predict("it"), "no masked-language head"),
        (lambda model: model.instruct([{"role": "user", "content": "it"}]), "not trained on"),
    ],
)
def test_unsupported_requests_are_refused_in_words(llama, call, message):
    with pytest.raises(HeadlightError, match=message):
        call(llama)


def test_the_chat_template_comes_from_the_folder(tmp_path, llama):
    template = (
        "{% for m in messages %}{% if m['role'] != 'user' %}{{ raise_exception('no') }}{% endif %}"
        "<|turn|>user {{ m['content'] }}{% endfor %}"
    )
    tokenizer = byte_level(["<|endoftext|>", "<|turn|>"])
    folder = decoder_checkpoints.write(tmp_path / "tuned", llama.module, tokenizer, template)
    model = load_causal(str(folder))
    text = model.instruct([{"role": "user", "content": "{{ it }}"}])
    assert text == "<|turn|>user {{ it }}"
    first, *others = model.attend(text).special
    assert first and not any(others)
    with pytest.raises(HeadlightError, match="does not accept this conversation"):
        model.instruct([{"role": "judge", "content": "it"}])


def test_generation_ends_at_every_end_token_of_the_files_and_at_the_end_of_a_message(
    tmp_path, llama
):
    template = (
        "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }} <|turn|>\n{% endfor %}model: "
    )
    tokenizer = byte_level(["<|endoftext|>", "<|turn|>"])
    turn = tokenizer.token_to_id("<|turn|>")
    folder = decoder_checkpoints.write(tmp_path / "tuned", llama.module, tokenizer, template)
    for name, named in (("config.json", 0), ("generation_config.json", [7, 0])):
        settings = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps({**settings, "eos_token_id": named}))
    model = load_causal(str(folder))
    assert (model.end, model.ends) == (0, {0, 7, turn})
    assert llama.ends == {0, 1}  # config.json names two, and there is no chat template
    for last in (7, turn):
        forced = {0: " it", 1: model.token_name(last)}
        written = model.generate(PROMPT, forced=forced)
        assert (written.ending, written.text, len(written.steps)) == ("end", " it", 2)


def test_weights_are_stored_once(llama):
    """The record and the capture share memory: 30 layers of 512 tokens are not stored twice."""
    tokens = llama.tokenize(PROMPT)
    observed, _ = llama.run_recorded(tokens)
    capture = to_capture(observed, tokens, llama, PROMPT, None, stack="decoder")
    assert len(observed.weights) == 3
    for layer, weights in enumerate(observed.weights):
        assert np.shares_memory(weights.numpy(), capture.weights[layer])


# Names and offsets of tokens.


def test_the_name_of_a_byte_level_token_is_its_text():
    tokenizer = byte_level(["<|end|>"])
    name = token_namer(tokenizer)
    assert [name(i) for i in tokenizer.encode(" the it\n").ids] == [" the", " it", "\n"]
    assert [name(i) for i in tokenizer.encode("é<|end|>").ids[:2]] == ["<0xC3>", "<0xA9>"]
    assert name(0) == "<|end|>" and name(9999) == "<9999>"
    called = [name(id_) for id_ in tokenizer.get_vocab().values()]
    assert len(set(called)) == len(called)


def test_the_name_of_a_sentencepiece_token_has_spaces():
    tokenizer = Tokenizer(models.BPE({"▁": 0, "a": 1, "▁a": 2}, [("▁", "a")]))
    tokenizer.decoder = decoders.Metaspace()
    assert [token_namer(tokenizer)(id_) for id_ in range(3)] == [" ", "a", " a"]


def test_only_the_last_token_of_a_character_has_its_offsets(llama):
    tokenizer = llama.tokenizer
    behind = tokenizer.encode(" it é!").ids
    text, tokens = append_continuation(
        tokenizer, ("the a", tokenize(tokenizer, "the a")), behind, ()
    )
    assert text == " it é!"
    spans = tokens.offsets[-len(behind) :]
    assert ["the a it é!"[start:end] for start, end in spans] == [" it", " ", "", "é", "!"]
    assert tokens.word_ids == (0, 1, 2, 3, 3, 3, 4)
    assert tokens.pieces[0] == "the" and tokens.pieces[2] == "it"


def test_without_a_pre_tokenizer_each_token_is_a_word():
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    tokenizer.decoder = decoders.Fuse()
    before = ("ab", tokenize(tokenizer, "ab"))
    assert tokenizer.pre_tokenizer is None
    text, tokens = append_continuation(tokenizer, before, [0, 1], ())
    assert text == "ab" and tokens.word_ids == (0, 1, 2)
    assert tokens.offsets == ((0, 2), (2, 3), (3, 4))
