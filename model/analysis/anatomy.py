"""Parts of a loaded model, read from its network: parameters, widths, and the order of the norms.

Axes: V vocab_size, D d_model, F d_ff.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import torch
from torch import Tensor, nn

from model.capture.module_calls import record_calls
from model.capture.sites import Call, Stack, layer_list, to_cpu
from model.catalogue.loaded_model import LoadedModel
from model.catalogue.translator import LoadedTranslator

PositionKind = Literal["learned", "sinusoidal", "rotary", "relative", "unknown"]


NormPlacement = Literal["post", "pre", "output"]
"""Norms of the sums, of the inputs of the sublayers, or of their outputs alone (OLMo 2)."""


@dataclass(frozen=True)
class LayerSizes:
    """Parameters of one layer."""

    attention: int
    cross_attention: int
    feed_forward: int
    norms: int

    @property
    def total(self) -> int:
        """All parameters of the layer."""
        return self.attention + self.cross_attention + self.feed_forward + self.norms


@dataclass(frozen=True)
class StackSizes:
    """An encoder or a decoder.

    Attributes:
        gated: Whether the feed-forward network multiplies two maps of its input (Shazeer 2020, "GLU
            Variants Improve Transformer").
    """

    layers: tuple[LayerSizes, ...]
    d_ff: int
    gated: bool
    norm_placement: NormPlacement


@dataclass(frozen=True)
class Anatomy:
    """The parts of a model.

    Attributes:
        stacks: The encoder, the decoder, or both, in the order of the forward pass.
        d_embedding: Width of the token table; D unless it is widened.
        position_parameters: Parameters of the position tables; 0 if positions are a formula.
        output: Parameters of the output table; 0 if the token table serves as output (tied), or
            without a language head.
    """

    stacks: Mapping[Stack, StackSizes]
    vocab_size: int
    d_embedding: int
    d_model: int
    tokens: int
    positions: PositionKind
    position_parameters: int
    output: int
    other: int


def anatomy(model: LoadedModel | LoadedTranslator) -> Anatomy:
    """Measure the parts of a model whose layers are known."""
    if isinstance(model, LoadedModel):
        model.check_outputs()
    sides: tuple[Stack, ...] = ("encoder", "decoder")
    found = {stack: layers for stack in sides if (layers := _layers(model, stack))}
    placement = _norm_placements(model, found)
    first = next(iter(found.values()))
    d_model = next([*_norms(first[-1].module)][-1].parameters()).numel()  # of the last norm
    stacks: dict[Stack, StackSizes] = {}
    for stack, members in found.items():
        stacks[stack] = StackSizes(
            tuple(_sizes(each) for each in members),
            *_feed_forward_sizes(members[-1], d_model),
            placement[stack],
        )
    inside = {id(p) for each in chain(*found.values()) for p in each.module.parameters()}
    tables, positions, outputs, other = _outside(model, inside)
    return Anatomy(
        stacks=stacks,
        vocab_size=max(len(table) for table in tables),
        d_embedding=tables[0].shape[1],
        d_model=d_model,
        tokens=_count(tables),
        positions=_position_kind(model, positions),
        position_parameters=_count(positions),
        output=_count(outputs),
        other=_count(other),
    )


@dataclass(frozen=True)
class _Layer:
    """A layer's module, and its attentions by stack: the module and its W^O."""

    module: nn.Module
    attentions: Mapping[Stack, tuple[nn.Module, nn.Module]]

    def attention_parameters(self, stack: Stack) -> set[int]:
        return {id(p) for part in self.attentions.get(stack, ()) for p in part.parameters()}


def _layers(model: LoadedModel | LoadedTranslator, stack: Stack) -> list[_Layer]:
    """List the layers of a stack; the layers of a decoder include their cross-attention."""
    own = model.attentions.get(stack, ())
    cross = model.attentions.get("cross", ()) if stack == "decoder" else ()
    layers = []
    for i, attention in enumerate(own):
        attentions: dict[Stack, tuple[nn.Module, nn.Module]] = {stack: attention}
        if cross:
            attentions["cross"] = cross[i]
        modules = layer_list(model.module, attention[0])
        around = next(each for each in modules if attention[0] in each.modules())
        layers.append(_Layer(around, attentions))
    return layers


def _sizes(layer: _Layer) -> LayerSizes:
    parts = {
        "norms": {id(p) for norm in _norms(layer.module) for p in norm.parameters()},
        "cross_attention": layer.attention_parameters("cross"),
        "attention": layer.attention_parameters("encoder") | layer.attention_parameters("decoder"),
    }
    counts = {**dict.fromkeys(parts, 0), "feed_forward": 0}
    for parameter in layer.module.parameters():
        members = (part for part, ids in parts.items() if id(parameter) in ids)
        counts[next(members, "feed_forward")] += parameter.numel()
    return LayerSizes(**counts)


def _norms(layer: nn.Module) -> Iterator[nn.Module]:
    """List the modules of a layer that scale a vector: all their parameters have one axis."""
    for module in layer.modules():
        own = list(module.parameters())
        leaf = not any(module.children())
        if leaf and own and all(parameter.dim() == 1 for parameter in own):
            yield module


def _feed_forward_sizes(layer: _Layer, d_model: int) -> tuple[int, bool]:
    """F and whether the network is gated, from its matrices: (D, F) twice, and (F, D)."""
    attention = set().union(*(layer.attention_parameters(stack) for stack in layer.attentions))
    matrices = [p for p in layer.module.parameters() if p.dim() == 2 and id(p) not in attention]
    d_ff = matrices[-1].numel() // d_model  # the last map, (F, D)
    return d_ff, _count(matrices) >= 3 * d_model * d_ff


def _norm_placements(
    model: LoadedModel | LoadedTranslator, layers: Mapping[Stack, list[_Layer]]
) -> dict[Stack, NormPlacement]:
    """Run one token through the model: in a pre-norm layer, a norm runs before W^O.

    Norms within the attention (of queries and keys) count only if they read the layer's input.
    """
    last = {stack: members[-1] for stack, members in layers.items()}
    watched = [
        module
        for stack, layer in last.items()
        for module in (*_norms(layer.module), layer.attentions[stack][1], layer.module)
    ]
    token = torch.zeros(1, 1, dtype=torch.long)
    with torch.inference_mode(), record_calls(watched) as calls:
        if isinstance(model, LoadedTranslator):
            model.forward(token, token)
        else:
            model.encode(token, token)
    order = list(calls)
    placements: dict[Stack, NormPlacement] = {}
    for stack, layer in last.items():
        attention, output = layer.attentions[stack]
        inside, states = set(attention.modules()), _entering(calls[layer.module])
        norms = [norm for norm in _norms(layer.module) if norm in calls]
        norms = [n for n in norms if n not in inside or _entering(calls[n]) is states]
        first = min(norms, key=order.index)
        written = _entering(calls[first]) is calls[output].output
        before = order.index(first) < order.index(output)
        placements[stack] = "pre" if before else "output" if written else "post"
    return placements


def _entering(call: Call) -> Any:
    return call.args[0] if call.args else call.kwargs.get("hidden_states")


def _outside(
    model: LoadedModel | LoadedTranslator, inside: set[int]
) -> tuple[list[nn.Parameter], ...]:
    """Sort the parameters outside the layers: token tables, positions, output tables, others."""
    tokenizers = (
        (model.source, model.target) if isinstance(model, LoadedTranslator) else (model.tokenizer,)
    )
    n_tokens = min(tokenizer.get_vocab_size() for tokenizer in tokenizers)
    looked_up = {
        id(p) for m in model.module.modules() if isinstance(m, nn.Embedding) for p in m.parameters()
    }
    found: tuple[list[nn.Parameter], ...] = ([], [], [], [])
    tables, positions, outputs, other = found
    for path, parameter in model.module.named_parameters():
        if id(parameter) in inside:
            continue
        is_large = parameter.dim() == 2 and len(parameter) >= n_tokens
        if _is_position_table(model, path, parameter):
            positions.append(parameter)
        elif is_large and id(parameter) in looked_up:
            tables.append(parameter)
        elif is_large:
            outputs.append(parameter)
        else:
            other.append(parameter)
    return found


def _is_position_table(
    model: LoadedModel | LoadedTranslator, path: str, parameter: nn.Parameter
) -> bool:
    if isinstance(model, LoadedTranslator):
        return "position" in path
    table = model.position_table  # of some families a part of the parameter
    return table is not None and torch.equal(to_cpu(parameter[-len(table) :]), table)


def _position_kind(
    model: LoadedModel | LoadedTranslator, tables: Sequence[nn.Parameter]
) -> PositionKind:
    if tables:
        # Marian stores sinusoids as a parameter. sin^2 + cos^2 = 1: every squared norm is D / 2.
        squares = to_cpu(tables[0].detach()).square().sum(dim=-1)  # (P, D) -> (P,)
        # Numbers of 16 bits have two or three correct digits.
        is_formula = torch.allclose(squares, squares.new_tensor(tables[0].shape[1] / 2), rtol=0.01)
        return "sinusoidal" if is_formula else "learned"
    if isinstance(model, LoadedTranslator):
        if any("relative" in path for path, _ in model.module.named_parameters()):
            return "relative"
        buffers = [path for path, _ in model.module.named_buffers()]
        rotary = any(path.endswith("inv_freq") for path in buffers)
        return "rotary" if rotary else "sinusoidal"
    if model.position_table is not None:
        return "sinusoidal"
    config = getattr(model.module, "config", None)
    rotates = getattr(config, "rope_parameters", None) and not getattr(config, "alibi", False)
    return "rotary" if rotates else "unknown"


def _count(parameters: Iterable[Tensor]) -> int:
    return sum(parameter.numel() for parameter in parameters)
