"""Models on other devices and in other numbers: captures hold what transformers computes there."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from model import HeadlightError, load_model
from model.analysis.depth import value_norms
from model.analysis.intervention import Intervention, intervene, next_tokens
from model.analysis.logit_lens import contributions, logit_lens
from model.analysis.survey import survey, switch_off_each
from model.catalogue.models import load_reader
from model.catalogue.placement import Placement
from model.catalogue.pretrained import size_limits
from tests.model.parity import SENTENCE, stacks

NO_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=NO_CUDA)])
def device(request):
    return request.param


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("gpt2", "bfloat16"), ("llama", "float16"), ("bloom", "bfloat16"), ("codegen", "float16")],
)
def test_captures_hold_the_16_bit_weights_of_transformers(opened, name, dtype, device):
    model = load_model(str(opened(name).folder), dtype=dtype, device=device)
    capture, reference = model.attend(SENTENCE), opened(name).eager(getattr(torch, dtype))
    ids = torch.tensor([capture.token_ids], device=device)
    with torch.inference_mode():  # CodeGen rounds its keys in another place if it stores them
        expected = reference.to(device)(input_ids=ids, output_attentions=True, use_cache=False)
    weights = torch.cat(expected.attentions).float().cpu().numpy()
    assert capture.weights.dtype == np.float32
    if name == "gpt2":  # its own softmax rounds to 16 bits inside, ours at the end
        assert_allclose(capture.weights, weights, rtol=2**-10, atol=0)
    else:
        assert_array_equal(capture.weights, weights)
    assert not np.array_equal(capture.weights, opened(name).model.attend(SENTENCE).weights)
    assert all(each.dtype == np.float32 for part in (capture.q, capture.v) for each in part)
    assert capture.origin["dtype"] == dtype and capture.origin["device"] == device


def test_an_encoder_decoder_captures_its_16_bit_weights(opened, device):
    model = load_model(str(opened("t5").folder), dtype="bfloat16", device=device)
    written = model.generate("the dog", max_new_tokens=4)
    ids = {"input_ids": written.encoder.token_ids, "decoder_input_ids": written.cross.token_ids}
    inputs = {name: torch.tensor([each], device=device) for name, each in ids.items()}
    with torch.inference_mode():
        reference = opened("t5").eager(torch.bfloat16).to(device)
        expected = reference(**inputs, output_attentions=True)
    for name, capture in stacks(written).items():
        theirs = torch.cat(expected[f"{name}_attentions"]).float().cpu().numpy()
        assert_array_equal(capture.weights, theirs)


def test_every_analysis_of_a_decoder_stays_near_its_float32_result(opened, device):
    exact = opened("llama").model
    model = load_model(str(opened("llama").folder), dtype="bfloat16", device=device)
    capture, lens = model.attend(SENTENCE), logit_lens(model, SENTENCE)
    parts = contributions(model, capture, lens, len(capture.tokens) - 1, 5)
    assert_allclose(parts.total, parts.logit, atol=0.1)

    def results(m):
        """Numbers of every analysis that multiplies by weights of the model."""
        hidden = intervene(m, SENTENCE, change=Intervention(frozenset({(0, 1)}))).hidden
        yield value_norms(m.attend(SENTENCE), m.output_weights()).heads
        yield next_tokens(m, hidden)
        yield survey(m, [SENTENCE])["entropy"]
        yield switch_off_each(m, [SENTENCE], "loss")["off"]

    for ours, theirs in zip(results(model), results(exact), strict=True):
        assert np.corrcoef(np.ravel(ours), np.ravel(theirs))[0, 1] > 0.99


def test_a_type_that_transformers_cannot_run_in_16_bits_is_refused(opened):
    with pytest.raises(HeadlightError, match=r"cannot run in bfloat16 on cpu\. Choose float32"):
        load_model(str(opened("deberta").folder), dtype="bfloat16")


def test_16_bits_need_half_the_memory_and_a_limit_replaces_the_free_memory(opened, monkeypatch):
    folder, n_weights = str(opened("bert").folder), opened("bert").model.n_parameters
    monkeypatch.setattr(size_limits, "free_memory", lambda: 2 * n_weights)
    assert load_model(folder, dtype="bfloat16").nbytes == 2 * n_weights
    with pytest.raises(
        HeadlightError, match=r"need \d+\.\d GB of memory in float32.*GB for a model"
    ):
        load_model(folder)
    monkeypatch.setattr(size_limits, "free_memory", lambda: 4 * n_weights)
    load_model(folder)
    place = Placement(max_bytes=4 * n_weights)
    assert load_reader(folder, place=place).nbytes == place.max_bytes
    with pytest.raises(HeadlightError, match=r"There are 0\.0 GB.*--max-model-memory"):
        load_reader(folder, place=Placement(max_bytes=4 * n_weights - 1))
    assert Placement(max_bytes=1) == Placement()  # the same numbers


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_missing_device_and_unknown_names_are_refused(device, monkeypatch):
    monkeypatch.setattr(f"torch.{device}.is_available", lambda: False)
    with pytest.raises(HeadlightError, match=f"finds no {device} device on this machine: choose"):
        load_model("minilm", device=device)
    with pytest.raises(HeadlightError, match="device must be one of cpu, cuda, mps, not gpu"):
        load_model("minilm", device="gpu")
    with pytest.raises(HeadlightError, match="scratch@400 runs on the CPU in float32 alone"):
        load_model("scratch@400", dtype="bfloat16")
    with pytest.raises(
        HeadlightError, match="dtype must be one of float32, bfloat16, float16, not int8"
    ):
        load_model("minilm", dtype="int8")
