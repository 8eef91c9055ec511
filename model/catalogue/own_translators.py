"""Our encoder-decoders as loaded translators."""

from tokenizers import Tokenizer
from torch import Tensor, nn

from model.capture.sites import Stack, own_site
from model.catalogue import translation_files
from model.catalogue.translation_files import TaskName
from model.catalogue.translator import LoadedTranslator
from model.transformer.attention import MultiHeadAttention
from model.transformer.encoder_decoder import EncoderDecoder
from model.transformer.generation import Predictor, encoder_decoder_predictor

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
"""Start, end and unknown token of our tokenizers."""


def trained(name: str, task: TaskName, step: int | None) -> LoadedTranslator:
    """Load a trained translator, or a checkpoint of it."""
    network = translation_files.translator(task, step)
    return as_loaded(name, network, *translation_files.tokenizers(task))


def as_loaded(
    name: str, network: EncoderDecoder, source: Tokenizer, target: Tokenizer
) -> LoadedTranslator:
    """Install hooks on an encoder-decoder of ours."""

    def encode_source(token_ids: Tensor) -> Predictor:
        return encoder_decoder_predictor(
            network, network.encode(token_ids)
        )  # (1, Ts) -> (1, Ts, D)

    attentions = _attentions(network)
    return LoadedTranslator(
        name=name,
        module=network,
        source=source,
        target=target,
        encode_source=encode_source,
        forward=network,
        start=target.get_vocab()[START],
        ends=frozenset({target.get_vocab()[END]}),
        max_source=network.encoder.config.max_len,
        max_target=network.decoder.config.max_len,
        unknown_id=source.token_to_id(UNKNOWN),
        target_reader=target,
        closed_vocabulary=True,
    ).with_hooks(
        [own_site(each, stack) for stack, found in attentions.items() for each in found],
        [each.output for found in attentions.values() for each in found],
    )


def _attentions(module: EncoderDecoder) -> dict[Stack, list[MultiHeadAttention]]:
    """The attention modules of each stack, in the order of the layers."""

    def named(part: nn.Module, name: str) -> list[MultiHeadAttention]:
        modules = part.named_modules()
        return [m for n, m in modules if isinstance(m, MultiHeadAttention) and n.endswith(name)]

    return {
        "encoder": named(module.encoder, ".attention"),
        "decoder": named(module.decoder, ".attention"),
        "cross": named(module.decoder, ".cross_attention"),
    }
