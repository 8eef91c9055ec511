"""The last depth equals the model's output, and contributions sum to a logit."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from model import HeadlightError, load_model
from model.analysis.logit_lens import contributions, logit_lens
from model.catalogue import scratch
from model.transformer.config import EncoderConfig
from model.transformer.language_model import MaskedLanguageModel
from tests.model import checkpoints, decoder_checkpoints, general_checkpoints
from tests.model.conftest import ANIMAL

TEXT = "the animal was too tired"


OTHER = {
    "gpt_neox": {},  # parts side by side
    "gemma3_text": {"final_logit_softcapping": 4.0},  # norms after the parts, too
    "granite": {"residual_multiplier": 0.7},  # divided logits
}
FAMILIES = [*checkpoints.FAMILIES, *decoder_checkpoints.FAMILIES, *OTHER]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_lens_of_every_family_ends_in_its_output_and_sums_up(family, decoders, tmp_path):
    if family in decoders:
        model = decoders[family]
    elif family in OTHER:
        model = load_model(str(general_checkpoints.save(family, tmp_path, **OTHER[family])))
    else:
        model = load_model(str(checkpoints.save_masked_lm(tmp_path, family)))
    lens = logit_lens(model, TEXT, top_k=4)
    tokens, capture = model.tokenize(TEXT), model.attend(TEXT)
    ids, segments = torch.tensor([tokens.ids]), torch.tensor([tokens.segment_ids])
    with torch.inference_mode():  # (T, V)
        if model.masked_lm is not None:
            own = model.masked_lm(ids, segments)[0]
        else:  # in float64: the float32 error of smollm2 itself exceeds the tolerance
            own = deepcopy(model.module).double()(input_ids=ids, use_cache=False).logits[0]
    p = own.softmax(dim=-1)
    at = torch.tensor(lens.ids[-1])
    assert_allclose(lens.probabilities[-1], p.gather(-1, at).numpy(), atol=1e-5)
    assert_allclose(lens.probabilities[-1, :, 0], p.amax(dim=-1).numpy(), atol=1e-5)
    assert lens.ids.shape[0] == model.n_layers + 1
    assert (np.diff(lens.probabilities) <= 0).all()  # most probable first
    for place, position in enumerate(lens.positions):
        for token in map(int, lens.ids[-1, place, [0, -1]]):
            parts = contributions(model, capture, lens, position, token)
            assert parts.heads.shape == (model.n_layers, model.n_heads)
            assert parts.logit == pytest.approx(float(own[position, token]), abs=1e-4)
            assert parts.total == pytest.approx(parts.logit, abs=1e-4)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_contribution_equals_the_drop_of_the_logit_without_the_part(norm, minilm):
    """The layers by hand, with one part left out, and with constant deviations and gates.

    The layers are linear then, so the decrease of the logit is the part's contribution.
    """
    torch.manual_seed(5)
    sizes = {"d_model": 12, "n_heads": 3, "d_ff": 20, "n_layers": 3, "norm": norm}
    own = MaskedLanguageModel(EncoderConfig(minilm.tokenizer.get_vocab_size(), **sizes)).eval()
    for name, parameter in own.named_parameters():
        if "norm" in name:
            torch.nn.init.normal_(parameter, mean=1)
    model = scratch.as_loaded("tiny", own.encoder, minilm.tokenizer, own)
    capture, lens = model.attend("It was warm."), logit_lens(model, "It was warm.")
    at, token, held = 2, 7592, {}

    def normed(module, x, name):
        deviation = held.setdefault(name, (x.var(unbiased=False) + module.eps).sqrt())
        return module.weight * (x - x.mean()) / deviation + module.bias

    @torch.inference_mode()
    def logit(without=None):
        x = own.encoder.embeddings(torch.tensor([capture.token_ids]))[0, at]
        if without == "embeddings":
            x = torch.zeros_like(x)
        for i, layer in enumerate(own.encoder.layers):
            part = layer.attention.output
            a = part.bias.clone()
            for h in range(3):
                context = torch.tensor(capture.weights[i, h, at] @ capture.v[i][:, h])
                if without != (i, h):
                    a += part.weight[:, 4 * h : 4 * h + 4] @ context
            x = x + a if norm == "pre" else normed(layer.attention_norm, x + a, (i, 0))
            if (i, "f") not in held:
                read = layer.feed_forward_norm(x) if norm == "pre" else x
                held[i, "f"] = layer.feed_forward(read)
            f = held[i, "f"] * (without != (i, "f"))
            x = x + f if norm == "pre" else normed(layer.feed_forward_norm, x + f, (i, 1))
        if norm == "pre":
            x = normed(own.encoder.final_norm, x, "final")
        z = own.transform(x)
        gate = held.setdefault("gate", own.activation(z) / z)
        features = normed(own.norm, z * gate, "head")
        return float(features @ own.encoder.embeddings.token.weight[token] + own.bias[token])

    parts, whole = contributions(model, capture, lens, at, token), logit()
    assert whole == pytest.approx(parts.logit, abs=1e-5)
    assert parts.embeddings == pytest.approx(whole - logit("embeddings"), abs=1e-4)
    assert parts.feed_forward[1] == pytest.approx(whole - logit((1, "f")), abs=1e-4)
    for head in [(0, 2), (1, 0), (2, 1)]:
        lost = whole - logit(head)
        assert abs(lost) > 1e-3
        assert parts.heads[head] == pytest.approx(lost, abs=1e-4)


def test_a_model_without_a_language_head_raises_an_error(minilm):
    with pytest.raises(HeadlightError, match="minilm has no output layer for tokens"):
        logit_lens(minilm, ANIMAL)
