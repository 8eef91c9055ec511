"""The whole model: tables, layers and output, with areas in proportion to their parameters."""

from collections.abc import Iterator

from model.analysis.logit_lens import LogitLens
from model.capture.sites import Stack
from model.capture.whitespace import show_whitespace
from model.catalogue.token_names import token_namer
from pages.picture.url import page_link
from pages.picture.view import PictureView, token_boxes
from viz.picture import Box
from viz.style.labels import percent
from web.cache import loaded_models
from web.language import _, plain, sentences
from web.widgets.head_picker import head_name

SHOWN = 5
"""Most predictions at the output."""

LEAST = 0.005
"""Smallest probability of a prediction that is shown."""


def whole(view: PictureView) -> list[Box]:
    """Return the parts of the model in the order of the forward pass."""
    boxes: list[Box] = []
    for stack in view.parts.stacks:
        boxes.append(_tokens(view, stack))
        if stack == next(iter(view.parts.stacks)):
            boxes += _embeddings(view)
        boxes += _layers(view, stack)
    return [*boxes, _output(view)]


def said(view: PictureView) -> str:
    """Return a sentence on where the parameters are."""
    parts = view.parts
    layers = [layer for stack in parts.stacks.values() for layer in stack.layers]
    outside = parts.tokens + parts.position_parameters + parts.output + parts.other
    total = outside + sum(layer.total for layer in layers)
    return _(
        "**Of {model}'s {count} parameters, {tokens:.0%} are in the token table, "
        "{feed_forward:.0%} in the feed-forward networks, and {attention:.0%} in attention.**"
    ).format(
        model=plain(view.subject.name),
        count=millions(total),
        tokens=parts.tokens / total,
        feed_forward=sum(layer.feed_forward for layer in layers) / total,
        attention=sum(layer.attention + layer.cross_attention for layer in layers) / total,
    )


def layer_area(view: PictureView) -> int:
    """Number of parameters that has the area 1: the largest layer's."""
    return max(layer.total for s in view.parts.stacks.values() for layer in s.layers)


def millions(count: int) -> str:
    """Format a number of parameters."""
    if count < 100_000:
        return f"{count:,}"
    return _("{count:.1f} M").format(count=count / 1e6)


def _tokens(view: PictureView, stack: Stack) -> Box:
    names = {
        "encoder": _("Tokens") if view.translation is None else _("Encoder: tokens it reads"),
        "decoder": _("Tokens") if view.translation is None else _("Decoder: tokens so far"),
    }
    return Box("tokens", names[stack], link=view.explore_link(), items=token_boxes(view, stack))


def _embeddings(view: PictureView) -> Iterator[Box]:
    parts, unit = view.parts, layer_area(view)
    enlarged = ""
    if parts.d_embedding != parts.d_model:
        enlarged = _("A matrix turns it into {width} numbers.").format(width=parts.d_model)
    times = parts.tokens / unit
    cut = _("Drawn smaller: to scale, the box would be {times:.1f} times as tall.")
    yield Box(
        "table",
        _("Token table") if len(parts.stacks) == 1 else _("Token tables"),
        ((_("parameters"), millions(parts.tokens)),),
        sentences(
            _("One vector of {width} numbers for each of {count:,} tokens.").format(
                width=parts.d_embedding, count=parts.vocab_size
            ),
            enlarged,
            cut.format(times=times) if times > 1 else "",
        ),
        view.explore_link(*view.place),
        times,
    )
    notes = {
        "learned": _("Learned: one vector for each position, added to the token's."),
        "sinusoidal": _("Sinusoids of the position, added to the token's vector."),
        "rotary": _("Rotary: each layer turns q and k by their position."),
        "relative": _("A bias on the scores for each distance."),
        "unknown": _("Headlight does not know how this model encodes positions."),
    }
    count = parts.position_parameters
    yield Box(
        "table",
        _("Positions"),
        ((_("parameters"), millions(count)),) if count else (),
        notes[parts.positions],
        page_link(
            "/positions", kind="sinusoidal" if parts.positions == "sinusoidal" else "schemes"
        ),
        count / unit if count else None,
    )


def _layers(view: PictureView, stack: Stack) -> Iterator[Box]:
    sizes, unit = view.sizes_of(stack), layer_area(view)
    lengths, lens = view.lengths("layer_output"), view.lens
    says = None if lens is None else _says(view, lens)
    predicts = _("next") if stack == "decoder" else _("predicts")
    for layer, each in enumerate(sizes.layers):
        values = [] if lengths is None else [(_("length"), f"{lengths[layer]:.1f}")]
        if says is not None:
            values.append((predicts, says[layer]))
        attentions = [(stack, each.attention)]
        if each.cross_attention:
            attentions.append(("cross", each.cross_attention))
        yield Box(
            "layer",
            f"L{layer}",
            tuple(values),
            _("Layer {layer}: {count} parameters.").format(layer=layer, count=millions(each.total)),
            view.link(zoom="layer", stack=stack, layer=layer),
            each.total / unit,
            items=(
                *(
                    Box(
                        "attention",
                        _attention_name(of),
                        area=count / each.total,
                        items=head_boxes(view, of, layer),
                    )
                    for of, count in attentions
                ),
                Box("feed", _("feed-forward"), area=each.feed_forward / each.total),
            ),
        )


def _attention_name(stack: Stack) -> str:
    return _("cross-attention") if stack == "cross" else _("attention")


def head_boxes(view: PictureView, stack: Stack, layer: int) -> tuple[Box, ...]:
    """One box for each head of a layer: its darkness is the largest weight of the token."""
    capture, query = (
        view.captures[stack],
        view.query("decoder" if stack == "cross" else stack),
    )
    queries, keys = view.names(stack)
    weights = capture.weights[layer, :, query]  # (H, Tk)
    best = weights.argmax(axis=1)  # (H, Tk) -> (H,)
    return tuple(
        Box(
            "head",
            f"H{head}",
            ((queries[query] + " → " + keys[key], f"{weights[head, key]:.2f}"),),
            _("{head}: {query} attends most to {key}, with weight {weight:.2f}.").format(
                head=head_name(layer, head),
                query=queries[query],
                key=keys[key],
                weight=float(weights[head, key]),
            ),
            view.link(zoom="head", stack=stack, layer=layer, head=head),
            shade=round(float(weights[head, key]), 3),
        )
        for head, key in enumerate(best.tolist())
    )


def _says(view: PictureView, lens: LogitLens) -> list[str]:
    """The most probable token at the selected token after each layer, with its probability."""
    name = token_namer(loaded_models.loaded_model(view.model).tokenizer)
    best = zip(lens.ids[1:, 0, 0], lens.probabilities[1:, 0, 0].tolist(), strict=True)
    return [f"“{show_whitespace(name(int(id_)))}” {percent(p)}" for id_, p in best]


def _condition(view: PictureView) -> str:
    """Say whether an encoder sees the selected token; "" if it is [MASK]."""
    query = view.query("encoder")
    mask = loaded_models.loaded_model(view.model).mask_token
    if view.captures["encoder"].tokens[query] == mask:
        return ""
    hidden, seen = _("With “{token}” hidden."), _("The model sees “{token}” and can copy it.")
    return (hidden if view.hidden else seen).format(token=view.names("encoder")[0][query])


def _output(view: PictureView) -> Box:
    parts = view.parts
    if view.translation is not None:
        step = view.translation.steps[view.query("decoder")]
        found, link = list(step.top_k), view.explore_link()
    elif (lens := view.lens) is not None:
        name = token_namer(loaded_models.loaded_model(view.model).tokenizer)
        names = (name(int(id_)) for id_ in lens.ids[-1, 0])
        found = list(zip(names, lens.probabilities[-1, 0].tolist(), strict=True))
        link = view.layers_link("lens", whose="left", at=view.query(view.stack))
    else:
        return Box(
            "output",
            _("Output"),
            note=_(
                "One vector of {width} numbers for each token. No output layer for tokens (LM "
                "head)."
            ).format(width=parts.d_model),
            link=view.layers_link("stream"),
        )
    note = (
        _("The output table has a row for each token.")
        if parts.output
        else _("The output uses the token table a second time: tied weights.")
    )
    if view.translation is None and view.stack == "encoder" and view.lens is not None:
        note = sentences(_condition(view), note)
    return Box(
        "output",
        _("Output"),
        ((_("parameters"), millions(parts.output)),) if parts.output else (),
        note,
        link,
        parts.output / layer_area(view) if parts.output else None,
        items=tuple(
            Box(
                "prediction",
                show_whitespace(token),
                ((_("probability"), percent(probability)),),
                shade=round(probability, 3),
            )
            for token, probability in found[:SHOWN]
            if probability >= LEAST
        ),
    )
