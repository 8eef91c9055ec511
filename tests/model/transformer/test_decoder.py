import dataclasses

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from model import (
    Decoder,
    DecoderConfig,
    DecoderLayer,
    EncoderConfig,
    EncoderDecoder,
    EncoderLayer,
    HeadlightError,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
)
from model.transformer.config import StackConfig

B, TT, TS, H, D, FF, LAYERS = 2, 5, 7, 3, 12, 20, 4
SOURCE_VOCAB, VOCAB = 23, 31
TINY = DecoderConfig(VOCAB, d_model=D, n_heads=H, d_ff=FF, n_layers=LAYERS, max_len=9, dropout=0.0)
SOURCE = EncoderConfig(SOURCE_VOCAB, d_model=D, n_heads=2, d_ff=17, n_layers=2, dropout=0.0)
SOURCE_LENGTHS, LENGTHS = torch.tensor([4, 7]), torch.tensor([5, 3])
CLOSE = {"atol": 1e-5, "rtol": 1e-5}


def randomised(module: nn.Module, seed: int = 1, std: float = 0.4) -> nn.Module:
    """Norms start at 1 and 0 and biases near 0, which would hide a mix-up."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=std, generator=generator)
    return module


def decoder(**changes) -> Decoder:
    return randomised(Decoder(dataclasses.replace(TINY, **changes))).eval()


def language_model(**changes) -> Decoder:
    return decoder(cross_attention=False, **changes)


def ids(vocab: int, *shape: int) -> torch.Tensor:
    return torch.randint(vocab, shape, generator=torch.Generator().manual_seed(3))


def memory(n_tokens: int = TS) -> torch.Tensor:
    return torch.randn(B, n_tokens, D, generator=torch.Generator().manual_seed(5))


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    qkv = (ours.query, ours.key, ours.value)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in qkv]))
        theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in qkv]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def torch_layer(ours: EncoderLayer | DecoderLayer, config: StackConfig) -> nn.Module:
    """torch's own layer with our weights; in train mode, because eval takes a fused path."""
    kind = nn.TransformerEncoderLayer
    norms = [ours.attention_norm, ours.feed_forward_norm]
    if isinstance(ours, DecoderLayer):
        kind = nn.TransformerDecoderLayer
        norms.insert(1, ours.cross_attention_norm)
    theirs = kind(
        config.d_model,
        config.n_heads,
        config.d_ff,
        activation=config.activation,
        dropout=config.dropout,
        norm_first=config.norm == "pre",
        batch_first=True,
    )
    copy_attention(ours.attention, theirs.self_attn)
    if isinstance(ours, DecoderLayer):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
    theirs.linear1.load_state_dict(ours.feed_forward.expand.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.contract.state_dict())
    for number, norm in enumerate(norms, start=1):
        getattr(theirs, f"norm{number}").load_state_dict(norm.state_dict())
    return theirs


@pytest.mark.parametrize(("norm", "activation"), [("post", "relu"), ("pre", "gelu")])
def test_the_whole_transformer_equals_torch(norm, activation):
    kind = {"norm": norm, "activation": activation}
    encoder = dataclasses.replace(SOURCE, n_heads=H, **kind)
    ours = randomised(EncoderDecoder(encoder, dataclasses.replace(TINY, **kind)))
    # torch ends both stacks with a LayerNorm for either norm; the paper's post-norm has none.
    finals = [nn.LayerNorm(D) if norm == "pre" else None for _ in range(2)]
    first, own = torch_layer(ours.encoder.layers[0], encoder), ours.decoder
    theirs = nn.Transformer(
        D,
        H,
        custom_encoder=nn.TransformerEncoder(first, 2, finals[0], enable_nested_tensor=False),
        custom_decoder=nn.TransformerDecoder(
            torch_layer(own.layers[0], own.config), LAYERS, finals[1]
        ),
        batch_first=True,
    )
    # The weights are copied now, because the constructor has drawn new ones.
    for stack, their_stack in ((ours.encoder, theirs.encoder), (own, theirs.decoder)):
        layers = [torch_layer(layer, stack.config) for layer in stack.layers]
        their_stack.layers = nn.ModuleList(layers)
        if norm == "pre":
            their_stack.norm.load_state_dict(stack.final_norm.state_dict())
    source, target = ids(SOURCE_VOCAB, B, TS), ids(VOCAB, B, TT)
    source_mask, target_mask = padding_mask(SOURCE_LENGTHS, TS), padding_mask(LENGTHS, TT)

    hidden = theirs(
        ours.encoder.embeddings(source),
        ours.decoder.embeddings(target),
        tgt_mask=~causal_mask(TT),
        src_key_padding_mask=~source_mask[:, 0, 0],
        tgt_key_padding_mask=~target_mask[:, 0, 0],
        memory_key_padding_mask=~source_mask[:, 0, 0],
    )
    expected = hidden @ ours.decoder.embeddings.token.weight.T
    assert_close(ours(source, target, source_mask, target_mask), expected, **CLOSE)


def test_a_mask_narrows_the_causal_mask_but_cannot_widen_it():
    model, target = language_model(), ids(VOCAB, B, TT)
    everything = torch.ones(TT, TT, dtype=torch.bool)
    assert_close(model(target, mask=everything), model(target))
    to_itself = torch.eye(TT, dtype=torch.bool)
    narrowed = model(target, mask=to_itself)
    assert not torch.allclose(narrowed, model(target))
    other = target.clone()
    other[:, 0] = (other[:, 0] + 1) % VOCAB
    assert_close(model(other, mask=to_itself)[:, 1:], narrowed[:, 1:], atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("norm", "positions", "pieces"),
    [
        ("post", "sinusoidal", [1, 1, 1, 1, 1]),
        ("pre", "learned", [3, 2]),
        ("post", "none", [2, 1, 2]),
    ],
)
def test_reading_in_pieces_with_a_cache_equals_reading_everything(norm, positions, pieces):
    model, target = decoder(norm=norm, positions=positions), ids(VOCAB, B, TT)
    source_mask = padding_mask(SOURCE_LENGTHS, TS)
    at_once = model(target, memory(), memory_mask=source_mask)
    cache, calls = model.new_cache(), []
    read_source = model.layers[0].cross_attention.key
    read_source.register_forward_hook(lambda *call: calls.append(call))
    hidden = [
        model(piece, memory(), memory_mask=source_mask, cache=cache)
        for piece in target.split(pieces, dim=1)
    ]
    assert_close(torch.cat(hidden, dim=1), at_once, **CLOSE)
    assert cache.n_tokens == TT
    assert len(calls) == 1  # the source is read once


def test_a_cache_selects_rows():
    model, target = decoder(), ids(VOCAB, B, TT)
    cache = model.new_cache()
    model(target[:, :3], memory(), cache=cache)
    rows = torch.tensor([1, 1, 0])
    cache.select(rows)
    hidden = model(target[rows, 3:], memory()[rows], cache=cache)
    assert_close(hidden, model(target, memory())[rows, 3:], **CLOSE)


def test_logits_come_from_the_token_table():
    narrow, target = language_model(d_embedding=5), ids(VOCAB, B, TT)
    logits = narrow.logits(narrow(target))
    as_embedded = narrow.embeddings.widen(narrow.embeddings.token.weight)  # (VOCAB, D)
    assert_close(logits, narrow(target) @ as_embedded.T, **CLOSE)


def test_dropout_acts_in_training_only():
    model, target = decoder(dropout=0.5), ids(VOCAB, B, TT)
    assert_close(model(target, memory()), model(target, memory()))
    model.train()
    torch.manual_seed(0)
    assert not torch.allclose(model(target, memory()), model(target, memory()))


def test_invalid_input_is_refused_in_words():
    model = language_model()
    cache = model.new_cache()
    model(ids(VOCAB, B, 8), cache=cache)
    alone = dataclasses.replace(TINY, cross_attention=False)
    wide = dataclasses.replace(SOURCE, d_model=24)
    for call, words in (
        (lambda: model(ids(VOCAB, B, 10)), r"10 tokens\. The decoder reads at most 9"),
        (lambda: model(ids(VOCAB, B, 2), cache=cache), "10 tokens"),
        (lambda: decoder()(ids(VOCAB, B, TT)), "needs the output of an encoder"),
        (lambda: model(ids(VOCAB, B, TT), memory()), "needs the output of an encoder"),
        (lambda: EncoderDecoder(SOURCE, alone), "needs cross-attention"),
        (lambda: EncoderDecoder(wide, TINY), "the same d_model, not 24 and 12"),
    ):
        with pytest.raises(HeadlightError, match=words):
            call()
