"""Generation with a decoder: tokens, text, options, and captures."""

from dataclasses import replace

import pytest
import torch
from numpy.testing import assert_allclose
from tokenizers import Tokenizer, decoders, models, processors

from model import HeadlightError, LoadedCausal, load_model
from model.capture.tokens import tokenize
from model.catalogue.continuation_tokens import append_continuation
from model.catalogue.token_names import token_namer
from tests.model import decoder_checkpoints
from tests.model.checkpoints import byte_level, configure

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


def test_attend_and_predict_gives_the_capture_and_the_next_token_probabilities(llama):
    capture, probabilities = llama.attend_and_predict(PROMPT)
    assert_allclose(capture.weights, llama.attend(PROMPT).weights, atol=1e-6)
    logits = llama.module(torch.tensor([capture.token_ids])).logits[0, -1]
    assert_allclose(probabilities, logits.detach().softmax(-1), atol=1e-6)
    best = llama.most_probable(probabilities, 3)
    assert best[0] == (llama.token_name(int(logits.argmax())), float(probabilities.max()))
    assert best == sorted(best, key=lambda pair: -pair[1]) and len(best) == 3
    assert len(llama.most_probable(probabilities, 10**6)) == len(probabilities)


def test_stream_yields_the_generated_tokens_and_a_seed_repeats_them(llama, written):
    stream = llama.stream(PROMPT, **DRAWN)
    assert tuple(stream) == written.steps
    assert llama.generate(PROMPT, **{**DRAWN, "seed": 5}).tokens != written.tokens
    greedy = llama.generate(PROMPT, max_new_tokens=5)
    for narrowest in ({"top_k": 1}, {"top_p": 1e-9}):  # drawing from one token is greedy
        drawn = {**DRAWN, "max_new_tokens": 5, **narrowest}
        assert llama.generate(PROMPT, **drawn).tokens == greedy.tokens


def test_a_token_can_be_forced_by_any_name_in_a_step(llama):
    free = llama.generate(PROMPT, max_new_tokens=3)
    n_tokens = llama.tokenizer.get_vocab_size()  # as in Qwen, there are three more rows
    for name in (free.steps[1].top_k[0][0], free.steps[1].top_k[9][0], f"<{n_tokens + 2}>"):
        forced = llama.generate(PROMPT, max_new_tokens=2, forced={1: name})
        assert forced.steps[1].token == name and forced.steps[1].forced
        assert forced.steps[0] == free.steps[0]
        assert forced.steps[1].top_k == free.steps[1].top_k
    assert forced.capture.token_ids[forced.n_prompt + 1] == n_tokens + 2
    assert llama.token_id(f"<{n_tokens + 3}>") is None
    with pytest.raises(HeadlightError, match="cannot write nowhere"):
        llama.generate(PROMPT, forced={0: "nowhere"})


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
        (lambda model: model.attend("it", "was"), "reads one text"),
        (lambda model: model.predict("it"), "no masked-language head"),
        (lambda model: model.instruct([{"role": "user", "content": "it"}]), "not trained on"),
    ],
)
def test_unsupported_requests_are_refused_in_words(llama, call, message):
    with pytest.raises(HeadlightError, match=message):
        call(llama)


def test_the_folder_states_the_chat_template_and_every_end_token(tmp_path, llama):
    """Generation also ends at the end of a message."""
    template = (
        "{% for m in messages %}{% if m['role'] == 'judge' %}{{ raise_exception('no') }}{% endif %}"
        "{{ m['role'] }}: {{ m['content'] }} <|turn|>\n{% endfor %}model: "
    )
    tokenizer = byte_level(["<|endoftext|>", "<|turn|>"])
    turn = tokenizer.token_to_id("<|turn|>")
    folder = decoder_checkpoints.write(tmp_path / "tuned", llama.module, tokenizer, template)
    configure(folder, eos_token_id=0)
    (folder / "generation_config.json").write_text('{"eos_token_id": [7, 0]}')
    model = load_model(str(folder))
    text = model.instruct([{"role": "user", "content": "{{ it }}"}])
    assert text == "user: {{ it }} <|turn|>\nmodel: "
    capture = model.attend(text)
    assert capture.special.tolist() == [token == "<|turn|>" for token in capture.tokens]
    with pytest.raises(HeadlightError, match="does not accept this conversation"):
        model.instruct([{"role": "judge", "content": "it"}])
    assert (model.end, model.ends) == (0, {0, 7, turn})
    assert llama.ends == {0, 1}  # config.json names two, and there is no chat template
    for end in (7, turn):
        written = model.generate(PROMPT, forced={0: " it", 1: model.token_name(end)})
        assert (written.ending, written.text, len(written.steps)) == ("end", " it", 2)


# Names and offsets of tokens.


def test_the_name_of_a_byte_level_token_is_its_text():
    tokenizer = byte_level(["<|end|>"])
    name = token_namer(tokenizer)
    assert [name(i) for i in tokenizer.encode(" the it\n").ids] == [" the", " it", "\n"]
    assert [name(i) for i in tokenizer.encode("é<|end|>").ids[:2]] == ["<0xC3>", "<0xA9>"]
    assert name(0) == "<|end|>" and name(9999) == "<9999>"
    called = [name(id_) for id_ in tokenizer.get_vocab().values()]
    assert len(set(called)) == len(called)


def test_a_text_that_begins_with_the_begin_token_has_it_once(llama):
    tokenizer = Tokenizer.from_str(llama.tokenizer.to_str())
    begin = tokenizer.id_to_token(0)
    tokenizer.post_processor = processors.TemplateProcessing(
        f"{begin} $A", special_tokens=[(begin, 0)]
    )
    model = replace(llama, tokenizer=tokenizer)
    added, typed = model.tokenize("it was"), model.tokenize(f"{begin}it was")
    assert added.ids == typed.ids and added.ids[0] == 0 and 0 not in added.ids[1:]
    assert [typed.offsets[i] for i in (0, 1)] == [(0, len(begin)), (len(begin), len(begin) + 2)]


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


def test_without_a_pre_tokenizer_whitespace_ends_a_word():
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, " ": 3}, [("a", "b")]))
    tokenizer.decoder = decoders.Fuse()
    before = ("ab", tokenize(tokenizer, "ab"))
    assert tokenizer.pre_tokenizer is None
    text, tokens = append_continuation(tokenizer, before, [0, 3, 1, 2], ())
    assert text == "a bab" and tokens.word_ids == (0, 0, 1, 1, 1)
    assert tokens.offsets == ((0, 2), (2, 3), (3, 4), (4, 5), (5, 7))
