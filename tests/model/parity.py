"""Comparisons of random models with transformers' own results; `make test-types`: all types."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    DynamicCache,
    EncoderDecoderCache,
)

from model import AttentionCapture, HeadlightError, LoadedTranslator, load_model
from model.analysis.depth import rollout
from model.analysis.intervention import Intervention, intervene
from model.analysis.measures import profile
from model.capture.residual_stream import to_states
from model.catalogue.models import load_translator
from tests.model import (
    checkpoints,
    decoder_checkpoints,
    encoder_decoder_checkpoints,
    general_checkpoints,
    gguf_checkpoints,
)
from tests.model.general_checkpoints import HYBRIDS, OWN_DECODERS, OWN_ENCODERS, WITHOUT_OUTPUTS

SENTENCE, PAIR = "the animal was it, and the table too", "it slept, was it?"
QUESTION, CONTEXT = "was it the animal?", "the animal was too tired, it slept"
ENCODERS = (*checkpoints.FAMILIES, *general_checkpoints.ENCODERS, *OWN_ENCODERS)
DECODERS = (*decoder_checkpoints.FAMILIES, *general_checkpoints.DECODERS, *OWN_DECODERS)
OWN = (*OWN_DECODERS, *OWN_ENCODERS)
"""Types whose weights are read by hooks, without queries, keys and values."""

N_WRITTEN = 9

SHORT = "the animal was it"
LONG = f"{SHORT}, and the table too, and the street too"
THRESHOLD = 14
"""Tokens after which LongRoPE changes its frequencies: more than SHORT has, fewer than LONG."""


def _longrope(n_frequencies: int) -> dict:
    factors = {"short_factor": [1.0] * n_frequencies, "long_factor": [8.0] * n_frequencies}
    rope = {"rope_type": "longrope", "rope_theta": 10_000.0, "factor": 4.0, **factors}
    return {**rope, "original_max_position_embeddings": THRESHOLD}


DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 4.0}
CHANGING = {
    "llama-longrope": {"rope_parameters": _longrope(5)},
    "phi3-longrope": {
        "rope_parameters": _longrope(2),
        "original_max_position_embeddings": THRESHOLD,
    },
    "llama-dynamic": {"rope_parameters": DYNAMIC, "max_position_embeddings": THRESHOLD},
    "modernbert-longrope": {
        "rope_parameters": {"sliding_attention": _longrope(4), "full_attention": _longrope(4)}
    },
}
"""Models whose forward pass replaces the rotary frequencies by the length of the text."""


def save(model_type: str, folder: Path) -> Path:
    """Save a tiny random model of any type, or of CHANGING."""
    if model_type in CHANGING:
        save(model_type.partition("-")[0], folder)
        return Path(checkpoints.configure(folder, **CHANGING[model_type]))
    for saved in (checkpoints, decoder_checkpoints, encoder_decoder_checkpoints):
        if model_type in saved.FAMILIES:
            return saved.save(model_type, folder)
    return general_checkpoints.save(model_type, folder)


@dataclass(frozen=True)
class Case:
    """A tiny random model of a type, in a folder."""

    model_type: str
    folder: Path

    @cached_property
    def model(self):
        return load_model(str(self.folder))

    def eager(self, dtype=torch.float32):
        """The same model as transformers loads it."""
        auto = AutoModelForCausalLM if self.model_type in (*DECODERS, *HYBRIDS) else AutoModel
        if self.model_type in encoder_decoder_checkpoints.FAMILIES:
            auto = AutoModelForSeq2SeqLM
        eager = {"attn_implementation": "eager", "dtype": dtype}
        return auto.from_pretrained(self.folder, **eager).eval()


def softmax(scores: np.ndarray) -> np.ndarray:
    scores = np.where(scores > -1e30, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# Models of one stack.


def check_capture(case: Case, pair: str | None = None) -> None:
    """Weights and states equal transformers' own; the steps of every head give its weights."""
    model, reference, entered = case.model, case.eager(), []
    capture = model.attend(SENTENCE, pair)
    paths = {part: path for path, part in model.module.named_modules()}
    for output in dict.fromkeys(model.outputs):
        reference.get_submodule(paths[output]).register_forward_pre_hook(
            lambda _, args: entered.append(args[0][0])
        )
    inputs = {"input_ids": torch.tensor([capture.token_ids])}
    if case.model_type in ("bert", "electra", "albert"):
        inputs["token_type_ids"] = torch.tensor([capture.segment_ids])
    with torch.inference_mode():
        result = reference(**inputs, output_attentions=True, output_hidden_states=True)
    assert_array_equal(capture.weights, torch.cat(result.attentions).numpy())
    assert_array_equal(model.hidden_states(SENTENCE, pair), result.hidden_states[-1][0])
    stream = to_states(model.stream_record(SENTENCE, pair))
    assert_array_equal(stream[:-1], torch.cat(result.hidden_states[:-1]))
    sink = 0 if capture.sink is None else capture.sink[..., None]
    assert_allclose(capture.weights.sum(-1, keepdims=True) + sink, 1, atol=1e-5)
    assert capture.stack == ("decoder" if case.model_type in DECODERS else "encoder")
    # The mask allows exactly what has weight. GPT-Neo's window is inside its own code.
    for weights, allowed in zip(capture.weights, capture.allowed, strict=True):
        if case.model_type != "gpt_neo":
            assert_array_equal(weights.any(axis=0), True if allowed is None else allowed)
    longest = model.attend("the " * 600)
    assert len(longest.tokens) == model.most_tokens and longest.left_out[0]
    if case.model_type in OWN:
        assert not capture.has_steps
        return
    config = model.module.config.get_text_config()
    n_key_heads = getattr(config, "num_key_value_heads", model.n_heads)
    for layer in range(capture.n_layers):
        assert capture.k[layer].shape[1] == capture.v[layer].shape[1] == n_key_heads
        heads = [capture.head(layer, head) for head in range(capture.n_heads)]
        contexts = np.concatenate([head.context for head in heads], axis=-1)
        assert_allclose(contexts, entered[layer], atol=1e-5)
        for head, steps in enumerate(heads):
            assert capture.key_head(head) == head * n_key_heads // model.n_heads
            expected = softmax(steps.masked_scores)
            given = capture.weights[layer, head] / capture.weights[layer, head].sum(-1)[:, None]
            assert_allclose(given, expected, atol=1e-4)


def check_language_head(case: Case) -> None:
    """The last layer's output through the language head gives the logits of transformers."""
    model, states = case.model, to_states(case.model.stream_record(SENTENCE))
    with torch.inference_mode():
        logits = case.eager()(input_ids=torch.tensor([model.tokenize(SENTENCE).ids])).logits[0]
        for own in (
            model.language_head.logits(states[-1]),
            model.language_head.project(model.hidden_states(SENTENCE)),
        ):
            assert_allclose(own, logits, rtol=0, atol=1e-5 * float(logits.abs().max()))


def _hidden_without(model, layer, head):
    """The last hidden states with the columns of one head set to 0 in W^O itself."""
    output = model.outputs[layer]
    weight = output.weight if isinstance(output, torch.nn.Linear) else output.weight.T
    own = slice(head * model.d_head, (head + 1) * model.d_head)
    before = weight.detach().clone()
    with torch.no_grad():
        weight[:, own] = 0
        hidden = model.hidden_states(SENTENCE)
        weight.copy_(before)
    return hidden


def check_head_off(case: Case, how: str) -> None:
    """A head adds nothing or attends uniformly, or the refusal says what the type lacks."""
    model, off = case.model, (1, 2)
    change = Intervention(frozenset({off}), how=how)
    if case.model_type in WITHOUT_OUTPUTS or (how == "uniform" and case.model_type in OWN):
        reason = "Wᴼ" if case.model_type in WITHOUT_OUTPUTS else "cannot attend uniformly"
        with pytest.raises(HeadlightError, match=reason):
            intervene(model, SENTENCE, None, change)
        return
    plain, outcome = model.attend(SENTENCE), intervene(model, SENTENCE, None, change)
    changed = outcome.capture
    if how == "uniform":
        row, allowed = changed.weights[off][-1], plain.weights[1].any(axis=0)[-1]
        assert_allclose(row / row.sum(), allowed / allowed.sum(), atol=1e-6)
    else:
        assert_array_equal(changed.weights[:2], plain.weights[:2])
        assert_allclose(outcome.hidden, _hidden_without(model, *off), atol=1e-5)
    assert (changed.weights[2:] != plain.weights[2:]).any() or plain.n_layers == 2


def check_generation(case: Case) -> None:
    """Greedy, with a cache and a window narrower than the text; forced tokens are read too."""
    forced = {1: " it", 3: "the"}
    written = case.model.generate(SENTENCE, max_new_tokens=10, forced=forced)
    ids, n_prompt = written.capture.token_ids, written.n_prompt
    with torch.inference_mode():
        theirs = case.eager()(input_ids=torch.tensor([ids]), output_attentions=True)
    probabilities = theirs.logits[0].double().softmax(dim=-1)
    assert len(written.steps) == len(ids) - n_prompt >= 3
    for number, step in enumerate(written.steps):
        row = probabilities[n_prompt - 1 + number]
        assert step.forced == (number in forced)
        assert step.forced or ids[n_prompt + number] == row.argmax()
        assert_allclose(step.probability, row[ids[n_prompt + number]], atol=1e-5)
        assert_allclose([p for _, p in step.top_k], row.topk(10).values, atol=1e-5)
    own = written.capture
    layers = own.attention_layers or range(own.n_layers)
    assert_array_equal(own.weights[[*layers]], torch.cat(theirs.attentions))


def check_hybrid(case: Case) -> None:
    """Layers with attention have their true numbers; the others have none, and no measures."""
    capture, reference = case.model.attend(SENTENCE), case.eager()
    with torch.inference_mode():
        result = reference(torch.tensor([capture.token_ids]), output_attentions=True)
    assert capture.attention_layers == (1, 3) and capture.n_layers == 4
    assert_array_equal(capture.weights[[1, 3]], torch.cat(result.attentions).numpy())
    assert not capture.weights[[0, 2]].any() and not capture.allowed[0].any()
    assert set(capture.to_frame()["layer"]) == {1, 3}
    assert type(capture).from_npz(capture.to_npz()).attention_layers == (1, 3)
    entropy = profile(capture)["entropy"]
    assert np.isnan(entropy[[0, 2]]).all() and (entropy[[1, 3]] > 0).all()
    for call in (lambda: capture.head(2, 0), lambda: rollout(capture.weights)):
        with pytest.raises(HeadlightError, match="no attention"):
            call()
    check_generation(case)
    check_language_head(case)


def check_head(family: str, head: str, folder: Path, pair: str | None) -> None:
    """Decisions and weights of an encoder with a task head equal transformers' own."""
    n_labels = {"sequence": 4, "token": 5, "answer": 2}[head]
    checkpoints.save_head(folder, family, head, num_labels=n_labels)
    model = load_model(str(folder))
    decision, tokens = model.decide(QUESTION, pair), model.tokenize(QUESTION, pair)
    module = checkpoints.HEADS[head].from_pretrained(folder, attn_implementation="eager").eval()
    inputs = {"input_ids": torch.tensor([tokens.ids])}
    if family in ("bert", "electra", "albert"):
        inputs["token_type_ids"] = torch.tensor([tokens.segment_ids])
    with torch.inference_mode():
        output = module(**inputs, output_attentions=True)
    if head == "answer":
        logits = torch.stack([output.start_logits[0], output.end_logits[0]], dim=-1)
        expected = logits.softmax(0)  # over the tokens
    else:
        expected = output.logits[0].softmax(-1)
    assert decision.kind == model.task.kind == head
    shape = (n_labels,) if head == "sequence" else (len(tokens.ids), n_labels)
    assert (decision.probabilities.dtype, decision.probabilities.shape) == (np.float32, shape)
    assert_allclose(decision.probabilities, expected.numpy(), atol=1e-6)
    assert decision.probabilities.std() > 0.001  # uneven enough to show errors
    weights = model.attend(QUESTION, pair).weights
    assert_allclose(weights, torch.cat(output.attentions).numpy(), atol=1e-6)


def check_gguf(family: str, folder: Path) -> None:
    """A GGUF file gives the results of the checkpoint from which it was written."""
    module = gguf_checkpoints.module_of(family)
    file = gguf_checkpoints.save(module, folder / f"{family}.gguf")
    tokenizer = checkpoints.byte_level(list(gguf_checkpoints.BYTES))
    saved = decoder_checkpoints.write(folder / "saved", module, tokenizer)
    model, expected = load_model(str(file)), load_model(str(saved))
    read, original = model.attend(SENTENCE), expected.attend(SENTENCE)
    assert read.tokens == original.tokens
    assert_allclose(read.weights, original.weights, rtol=0, atol=1e-6)
    assert_allclose(model.hidden_states(SENTENCE), expected.hidden_states(SENTENCE), atol=1e-5)
    assert model.end == expected.end and model.quantisation == ""


def _numbers(model, text: str) -> list[np.ndarray]:
    """All numbers of a pass: the weights of every stack, and the states or probabilities."""
    if isinstance(model, LoadedTranslator):
        written = model.generate(text, max_new_tokens=6)
        weights = [capture.weights for capture in stacks(written).values()]
        return [*weights, np.array([step.probability for step in written.steps])]
    return [model.attend(text).weights, model.hidden_states(text).numpy()]


def _state(model) -> dict[str, object]:
    """Everything that a forward pass could change in the modules."""
    return {
        f"{path}.{name}": value.tolist() if isinstance(value, torch.Tensor) else value
        for path, module in model.module.named_modules()
        for name, value in (vars(module) | module._buffers | module._parameters).items()
        if isinstance(value, torch.Tensor | int | float | str)
    }


def check_threads(case: Case) -> None:
    """Texts of other lengths change nothing in the model; threads get the numbers of one alone."""
    model, texts = case.model, (SHORT, LONG)
    first = _numbers(model, SHORT)
    before = _state(model)
    alone = [first, _numbers(model, LONG)]
    assert _state(model) == before
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(lambda n: _numbers(model, texts[n % 2]), range(16)))
    for n, result in enumerate(together):
        for ours, expected in zip(result, alone[n % 2], strict=True):
            assert_array_equal(ours, expected)


# Encoder-decoders.


def stacks(translation) -> Mapping[str, AttentionCapture]:
    return {name: getattr(translation, name) for name in ("encoder", "decoder", "cross")}


def check_translation(case: Case) -> None:
    """Text and weights of all stacks equal those of transformers, which generates with a cache.

    In double precision: products of other shapes round differently, and how depends on the CPU.
    """
    model = load_translator(str(case.folder))
    model.module.double()
    written = model.generate(SENTENCE, max_new_tokens=N_WRITTEN)
    with torch.inference_mode():
        theirs = (
            case.eager()
            .double()
            .generate(
                torch.tensor([written.encoder.token_ids]),
                max_new_tokens=N_WRITTEN,
                # The config has the number of encoder layers; it fails if the decoder has more.
                past_key_values=EncoderDecoderCache(DynamicCache(), DynamicCache()),
                num_beams=1,
                do_sample=False,
                output_attentions=True,
                return_dict_in_generate=True,
            )
        )
    ids = theirs.sequences[0].tolist()
    assert ids[0] == model.start == written.decoder.token_ids[0]
    assert list(written.tokens) == [model.token_name(id_) for id_ in ids[1:]]
    assert case.model_type == "t5" or len(set(ids)) > 3  # a repetition would hide errors
    assert written.ending == ("end" if ids[-1] in model.ends else "limit")
    assert_allclose(written.encoder.weights, torch.cat(theirs.encoder_attentions), atol=1e-6)
    for capture, steps in (
        (written.decoder, theirs.decoder_attentions),
        (written.cross, theirs.cross_attentions),
    ):
        assert len(capture.tokens) == len(steps) > 3
        for number, step in enumerate(steps):
            row = torch.cat(step)[:, :, -1].numpy()  # (L, H, keys so far)
            assert_allclose(capture.weights[:, :, number, : row.shape[-1]], row, atol=1e-6)
            assert (capture.weights[:, :, number, row.shape[-1] :] == 0).all()
        assert capture.weights.std(axis=-1).mean() > 0.03  # uneven, so that an error shows
    for name, capture in stacks(written).items():
        assert capture.stack == name
        assert capture.has_steps == (case.model_type != "t5gemma")
        for place in np.ndindex(*capture.weights.shape[:2]) if capture.has_steps else ():
            expected = softmax(capture.head(*place).masked_scores)
            assert_allclose(capture.weights[place], expected, atol=1e-6)


def check_probabilities(case: Case) -> None:
    """With a cache, forced tokens, beams or a temperature: those of one pass of transformers.

    A pass over each kept text of a search gives the log-probabilities that the search reports.
    """
    model, reference = case.model, case.eager()
    word = model.token_name(9)
    for options in ({}, {"beams": 3}, {"temperature": 1.5, "seed": 3}):
        done = model.generate(SENTENCE, max_new_tokens=6, forced={2: word}, **options)
        with torch.inference_mode():
            logits = reference(
                input_ids=torch.tensor([done.encoder.token_ids]),
                decoder_input_ids=torch.tensor([done.decoder.token_ids]),
            ).logits[0]
        if case.model_type == "marian":  # its last id, the padding, is suppressed
            logits = torch.cat((logits[:, :-1], torch.full((len(logits), 1), -torch.inf)), dim=1)
        assert done.steps[2].token == word and done.steps[2].forced
        for row, step in zip(logits.double().softmax(dim=-1), done.steps, strict=True):
            assert_allclose(step.probability, row[model.token_id(step.token)], atol=1e-5)
            assert step.top_k[0][0] == model.token_name(int(row.argmax()))
    for candidate in model.generate(SENTENCE, max_new_tokens=5, beams=4).search[-1].kept[:2]:
        forced = dict(enumerate(candidate.tokens))
        again = model.generate(SENTENCE, max_new_tokens=len(forced), forced=forced)
        own = np.log([step.probability for step in again.steps])
        assert_allclose(candidate.log_probabilities, own, atol=1e-4)
