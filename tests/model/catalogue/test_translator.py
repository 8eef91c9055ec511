"""Loaded translators with random weights: generation, captures, and refused requests."""

import itertools
import math

import numpy as np
import pytest
import torch

from model import DecoderConfig, EncoderConfig, EncoderDecoder, HeadlightError, LoadedTranslator
from model.catalogue.own_translators import as_loaded
from model.catalogue.translation_files import tokenizers
from model.transformer.beam import length_penalty

LE, LD, H = 2, 3, 2
TEXT = "The blue flower"


@pytest.fixture(scope="module")
def model() -> LoadedTranslator:
    sizes = {"d_model": 12, "n_heads": H, "d_ff": 20, "dropout": 0.1}
    source, target = tokenizers("phrases")
    network = EncoderDecoder(
        EncoderConfig(source.get_vocab_size(), n_layers=LE, max_len=11, **sizes),
        DecoderConfig(target.get_vocab_size(), n_layers=LD, max_len=9, **sizes),
    )
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(std=0.4, generator=generator)
    return as_loaded("tiny", network, source, target)


WORDS = {0: "la", 1: "fleur", 2: "bleue", 3: "</s>"}


def test_a_translation_contains_the_text_and_the_captures(model):
    done = model.generate(TEXT, forced=WORDS)
    assert (done.model, done.source, done.text) == ("tiny", TEXT, "la fleur bleue")
    assert done.tokens == ("la", "fleur", "bleue", "</s>")
    assert [step.token for step in done.steps] == list(done.tokens)
    assert done.ending == "end" and done.search == ()
    assert done.encoder.tokens == ("the", "blue", "flower", "</s>")
    assert done.decoder.tokens == done.cross.tokens == ("<s>", "la", "fleur", "bleue")
    assert done.cross.key_tokens == done.encoder.tokens
    captures = (done.encoder, done.decoder, done.cross)
    assert [capture.stack for capture in captures] == ["encoder", "decoder", "cross"]
    longer = {**WORDS, 3: "est", 4: "un", 5: "chien", 6: "</s>"}
    done = model.generate(TEXT + " is", forced=longer)
    captures = (done.encoder, done.decoder, done.cross)
    shapes = [capture.weights.shape for capture in captures]
    assert shapes == [(LE, H, 5, 5), (LD, H, 7, 7), (LD, H, 7, 5)]
    assert done.nbytes == sum(capture.nbytes for capture in captures)


def test_captured_weights_are_the_heads_and_the_decoder_is_causal(model):
    done = model.generate(TEXT, forced=WORDS)
    for capture in (done.encoder, done.decoder, done.cross):
        np.testing.assert_allclose(capture.weights.sum(-1), 1, atol=1e-5)
        for layer, head in itertools.product(range(capture.n_layers), range(H)):
            steps = capture.head(layer, head)
            expected = torch.tensor(steps.masked_scores).softmax(-1).numpy()
            np.testing.assert_allclose(capture.weights[layer, head], expected, atol=1e-5)
    assert (done.decoder.allowed[0] == np.tril(np.ones((4, 4), dtype=bool))).all()
    assert done.cross.allowed == (None,) * LD


def test_tokens_have_their_offsets_in_the_text(model):
    done = model.generate(TEXT, forced=dict(enumerate(("l'", "eau", "n'", "est", "pas", "</s>"))))
    assert done.text == "l'eau n'est pas"
    spans = [done.text[start:end] for start, end in done.decoder.offsets]
    assert spans == ["", "l'", "eau", "n'", "est", "pas"]
    assert done.decoder.special.tolist() == [True] + [False] * 5
    assert done.decoder.text == done.text
    assert [TEXT[a:b] for a, b in done.encoder.offsets] == ["The", "blue", "flower", ""]


def test_beam_search_reports_kept_and_dropped_hypotheses(model):
    done = model.generate(TEXT, beams=3)
    best = done.search[-1].kept[0]
    assert (best.tokens, best.text) == (done.tokens, done.text)
    total = sum(math.log(step.probability) for step in done.steps)
    assert best.log_probability == pytest.approx(total, abs=1e-4)
    for step in done.search:
        assert (len(step.kept), len(step.dropped)) == (3, 3)
        for candidate in (*step.kept, *step.dropped):
            penalty = length_penalty(len(candidate.tokens), 0.6)
            assert candidate.score == pytest.approx(candidate.log_probability / penalty)
    assert all(step.drawn_from == () for step in done.steps)


@pytest.mark.parametrize("options", [{}, {"beams": 2}], ids=str)
def test_a_forced_token_is_marked_and_the_models_choice_is_reported(model, options):
    free = model.generate(TEXT)
    other = next(token for token in ("la", "eau") if token != free.tokens[1])
    done = model.generate(TEXT, forced={1: other}, **options)
    assert done.tokens[1] == other
    assert [step.forced for step in done.steps[:3]] == [False, True, False][: len(done.steps)]
    if not options:
        assert done.steps[1].top_k == free.steps[1].top_k
    ended = model.generate(TEXT, forced={0: "</s>"}, **options)
    assert (ended.text, ended.tokens, ended.ending) == ("", ("</s>",), "end")
    assert ended.decoder.weights.shape == (LD, H, 1, 1)
    nothing = model.generate(TEXT, stop=lambda: True, **options)
    assert (nothing.text, nothing.tokens, nothing.steps) == ("", (), ())
    assert nothing.decoder.tokens == ("<s>",)


def test_a_limit_or_a_stop_ends_generation_which_keeps_its_text(model):
    never_ends = dict.fromkeys(range(99), "la")
    done = model.generate(TEXT, forced=never_ends)
    assert (len(done.tokens), done.ending) == (8, "full")  # 9 positions, one for the start token
    short = model.generate(TEXT, forced=never_ends, max_new_tokens=3)
    assert (short.text, short.ending) == ("la la la", "limit")
    n_calls = itertools.count()
    done = model.generate(TEXT, stop=lambda: next(n_calls) >= 2, forced=WORDS)
    assert (done.text, done.ending) == ("la fleur", "stopped")
    assert done.cross.weights.shape == (LD, H, 2, 4)


def test_unknown_words_are_listed_as_typed(model):
    text = "The Gnu dog's 🐍 zebra gnu Gnu"
    assert model.unknown_words(text) == ["Gnu", "🐍", "zebra", "gnu"]
    assert model.unknown_words("the blue flower, a dog's.") == model.unknown_words("") == []
    with pytest.raises(HeadlightError, match="The model tiny does not know Gnu, 🐍, zebra, gnu\\."):
        model.generate(text)
    with pytest.raises(HeadlightError, match=r"The model tiny does not know U\+200B U\+200D\."):
        model.generate("the \u200b\u200d")
    with pytest.raises(HeadlightError) as error:
        model.generate("z" * 15_000)
    assert len(str(error.value)) < 100


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (" \n", {}, "There is no text"),
        ("the " * 11, {}, "at most 11 tokens"),
        ("the " * 25_000, {}, r"has 100000 characters\. tiny reads at most 20000"),
        (TEXT, {"max_new_tokens": 0}, "max_new_tokens must be at least 1"),
        (TEXT, {"temperature": -1.0}, "temperature"),
        (TEXT, {"beams": 2, "temperature": 0.5}, "Beam search does not sample"),
        (TEXT, {"beams": 65}, "from 1 to 64"),
        (TEXT, {"forced": {0: "{zèbre}"}}, "cannot write {zèbre}"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_invalid_requests_are_refused_in_words(model, text, options, words):
    with pytest.raises(HeadlightError, match=words):
        model.generate(text, **options)


def test_the_longest_source_is_read_and_generation_changes_nothing(model):
    assert model.generate("the " * 10).encoder.weights.shape == (LE, H, 11, 11)
    before = {name: value.clone() for name, value in model.module.state_dict().items()}
    one, two = model.generate(TEXT), model.generate(TEXT)
    assert (one.cross.weights == two.cross.weights).all()  # dropout would make them differ
    for name, value in model.module.state_dict().items():
        assert torch.equal(value, before[name])
    assert not any(each.weights.flags.writeable for each in (one.encoder, one.decoder, one.cross))
