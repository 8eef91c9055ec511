import dataclasses
import itertools

import pytest
import torch
from torch.testing import assert_close

from model import Decoder, DecoderConfig, EncoderConfig, EncoderDecoder, HeadlightError
from model.catalogue.generated_tokens import run_to_end
from model.transformer.beam import Hypothesis, beam_search, length_penalty
from model.transformer.generation import Limits, Predictor, encoder_decoder_predictor, generate
from model.transformer.sampling import Sampling
from tests.model.transformer.test_decoder import randomised

VOCAB, D, MAX_LEN = 19, 12, 24
PROMPT = [4, 2, 7]
TINY = DecoderConfig(
    VOCAB, d_model=D, n_heads=3, d_ff=20, n_layers=2, max_len=MAX_LEN, cross_attention=False
)
SOURCE = EncoderConfig(23, d_model=D, n_heads=2, d_ff=17, n_layers=2)


def decoder(seed: int = 1, **changes) -> Decoder:
    model = Decoder(dataclasses.replace(TINY, **changes)).eval()
    return randomised(model, seed, std=0.3)


def decoder_predictor(decoder: Decoder) -> Predictor:
    """A predictor of a language model."""

    @torch.inference_mode()
    def next_logits(token_ids, cache):
        return decoder.logits(decoder(token_ids, cache=cache)[:, -1])  # (B, T, D) -> (B, V)

    return Predictor(next_logits, decoder.new_cache, decoder.config.max_len)


def without_cache(predictor: Predictor) -> Predictor:
    return dataclasses.replace(predictor, new_cache=lambda: None)


def translator():
    config = dataclasses.replace(TINY, cross_attention=True)
    model = randomised(EncoderDecoder(SOURCE, config)).eval()
    return encoder_decoder_predictor(model, model.encode(torch.tensor([[3, 1, 20, 5, 8]])))


def generated(predictor: Predictor, prompt: list[int], limits: Limits, *how, **options):
    return run_to_end(generate(predictor, prompt, limits, *how, **options))


def searched(predictor: Predictor, prompt: list[int], limits: Limits, *how, **options):
    return run_to_end(beam_search(predictor, prompt, limits, *how, **options))


def written(steps) -> list[int]:
    return [step.token for step in steps]


PREDICTORS = {
    "alone": lambda: decoder_predictor(decoder()),
    "pre-norm": lambda: decoder_predictor(decoder(norm="pre", positions="learned")),
    "with a memory": translator,
}


def test_generation_resumes_after_written_tokens():
    predictor, limits = translator(), Limits(9)
    sampling = Sampling(1.5, top_p=0.95, seed=3)
    torch.manual_seed(0)
    steps, ending = generated(predictor, PROMPT, limits, sampling)
    other, _ = generated(predictor, PROMPT, limits, dataclasses.replace(sampling, seed=4))
    assert written(other) != written(steps)
    torch.manual_seed(1)  # the global random state has no effect
    before = written(steps)[:4]
    rest, same = generated(predictor, PROMPT, limits, sampling, written=before)
    assert (written(rest), same) == (written(steps)[4:], ending)
    assert_close(rest[0].probability, steps[4].probability)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("alone", Sampling(1.0, seed=5)),
        ("pre-norm", Sampling()),
        ("with a memory", Sampling(1.0, seed=5)),
    ],
)
def test_generation_with_a_cache_equals_generation_without(kind, how):
    predictor = PREDICTORS[kind]()
    cached, ending = generated(predictor, PROMPT, Limits(15), how)
    again, _ = generated(without_cache(predictor), PROMPT, Limits(15), how)
    assert written(cached) == written(again)
    assert (len(cached), ending) == (15, "limit")
    for ours, theirs in zip(cached, again, strict=True):
        for name in ("top_k", "drawn_from"):
            pairs, others = dict(getattr(ours, name)), dict(getattr(theirs, name))
            assert pairs == pytest.approx(others, abs=1e-5)


@torch.no_grad()
def test_greedy_takes_the_most_probable_token_and_reports_alternatives():
    model = decoder()
    steps, _ = generated(decoder_predictor(model), PROMPT, Limits(6))
    text = torch.tensor([PROMPT + written(steps)])
    p = model.logits(model(text))[0].softmax(-1)  # (T, V)
    for i, step in enumerate(steps):
        row = p[len(PROMPT) - 1 + i]
        assert step.token == int(row.argmax()) == step.top_k[0][0]
        assert step.probability == pytest.approx(float(row.max()), abs=1e-5)
        assert [q for _, q in step.top_k] == pytest.approx(row.topk(10).values.tolist(), abs=1e-5)
        assert step.drawn_from == ((step.token, 1.0),)
        assert not step.forced
    hot = next(generate(decoder_predictor(model), PROMPT, Limits(1), Sampling(3.0, top_k=4)))
    assert hot.top_k == steps[0].top_k  # the alternatives do not depend on the temperature
    roots = [p ** (1 / 3) for _, p in hot.top_k[:4]]
    assert [token for token, _ in hot.drawn_from] == [token for token, _ in hot.top_k[:4]]
    assert [p for _, p in hot.drawn_from] == pytest.approx([r / sum(roots) for r in roots])


def test_a_forced_token_determines_the_following_ones():
    model = decoder_predictor(decoder())
    free = written(generated(model, PROMPT, Limits(8))[0])
    other = (free[2] + 1) % VOCAB
    steps, _ = generated(model, PROMPT, Limits(8), forced={2: other})
    assert written(steps)[:3] == [*free[:2], other]
    assert [step.forced for step in steps] == [i == 2 for i in range(8)]
    assert steps[2].top_k[0][0] == free[2]  # the model's own choice
    follows = written(generated(model, [*PROMPT, *free[:2], other], Limits(5))[0])
    assert written(steps)[3:] == follows


def test_a_text_can_be_forced_to_end_immediately():
    limits = Limits(8, ends=[6])
    steps, ending = generated(decoder_predictor(decoder()), PROMPT, limits, forced={0: 6})
    assert (written(steps), ending) == ([6], "end")
    steps, ending = searched(decoder_predictor(decoder()), PROMPT, limits, forced={0: 6})
    assert ([h.tokens for h in steps[0].kept], ending) == ([(6,)], "end")


def test_a_hypothesis_that_ended_before_a_forced_step_is_dropped():
    model = decoder_predictor(decoder())
    second = next(generate(model, PROMPT, Limits(1))).top_k[1][0]
    steps, _ = searched(model, PROMPT, Limits(4, ends=[second]), beams=2, forced={1: 11})
    assert [h.tokens for h in steps[0].kept if h.finished] == [(second,)]
    assert all(h.tokens[1] == 11 for h in (*steps[1].kept, *steps[1].dropped))


def scored(model: Decoder, prompt: list[int], tokens: tuple[int, ...], alpha: float) -> float:
    logits = model.logits(model(torch.tensor([[*prompt, *tokens]])))[0].double()
    log_p = logits.log_softmax(-1)[len(prompt) - 1 : -1]  # the rows that chose the tokens
    total = sum(float(row[token]) for row, token in zip(log_p, tokens, strict=True))
    return total / length_penalty(len(tokens), alpha)


def every_text(vocab: int, end: int, longest: int) -> list[tuple[int, ...]]:
    """Texts that end, and texts cut off at the limit."""
    others = [token for token in range(vocab) if token != end]
    texts = list(itertools.product(others, repeat=longest))
    for n in range(longest):
        texts += [(*text, end) for text in itertools.product(others, repeat=n)]
    return texts


@torch.no_grad()
@pytest.mark.parametrize(("vocab", "longest", "alpha"), [(3, 4, 0.6), (4, 3, 0.0), (3, 3, 2.0)])
def test_a_wide_beam_is_an_exhaustive_search(vocab, longest, alpha):
    end, differ = 1, 0
    for seed in range(4):
        model = decoder(seed, vocab_size=vocab)
        texts = every_text(vocab, end, longest)
        ranked = sorted(texts, key=lambda text: -scored(model, [0], text, alpha))
        for predictor in (decoder_predictor(model), without_cache(decoder_predictor(model))):
            steps, _ = searched(predictor, [0], Limits(longest, ends=[end]), len(texts), alpha)
            assert [h.tokens for h in steps[-1].kept] == ranked
        for hypothesis in steps[-1].kept:
            expected = scored(model, [0], hypothesis.tokens, alpha)
            assert hypothesis.score == pytest.approx(expected, abs=1e-5)
        greedy = written(generated(decoder_predictor(model), [0], Limits(longest, ends=[end]))[0])
        differ += tuple(greedy) != ranked[0]
    assert differ  # otherwise greedy search would pass
    penalties = [length_penalty(1, 0.6), length_penalty(7, 0.6), length_penalty(7, 0)]
    assert penalties == pytest.approx([1, 2**0.6, 1])  # of Wu et al.


def test_each_step_reports_kept_and_dropped_hypotheses():
    steps, _ = searched(decoder_predictor(decoder()), PROMPT, Limits(7, ends=[0]), beams=3)
    before: tuple[Hypothesis, ...] = (Hypothesis((), (), 0.0, finished=False),)
    for step in steps:
        assert (len(step.kept), len(step.dropped)) == (3, 3)
        scores = [hypothesis.score for hypothesis in (*step.kept, *step.dropped)]
        assert scores == sorted(scores, reverse=True)
        for hypothesis in (*step.kept, *step.dropped):
            parents = [h.tokens for h in before]
            assert hypothesis in before or hypothesis.tokens[:-1] in parents
            assert hypothesis.finished == (hypothesis.tokens[-1] == 0)
        before = step.kept


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: Limits(0), "max_new_tokens must be at least 1, not 0"),
        (lambda m: next(generate(m, [], Limits(3))), "no token to continue"),
        (lambda m: next(generate(m, [1] * MAX_LEN, Limits(3))), "24 tokens and the model reads"),
        (lambda m: next(generate(m, [1], Limits(3), forced={0: -1})), "from 0 to 18, not -1"),
        (lambda m: next(beam_search(m, [1], Limits(3), forced={0: 19})), "from 0 to 18, not 19"),
        (lambda m: next(beam_search(m, [1], Limits(3), beams=0)), "1 to 64, not 0"),
        (lambda m: next(beam_search(m, [1], Limits(3), beams=65)), "1 to 64, not 65"),
    ],
)
def test_invalid_requests_are_refused_in_words(call, words):
    with pytest.raises(HeadlightError, match=words):
        call(decoder_predictor(decoder()))
