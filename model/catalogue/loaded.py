"""A model that is loaded and can be looked at: the same face for ours and for transformers'."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from model.capture.hooks import HeadsOff, Observed, install_hooks, recording
from model.capture.language_head import LanguageHead
from model.capture.record import AttentionCapture
from model.capture.sites import AttentionSite, Stack
from model.capture.stacks import to_capture
from model.capture.stream import (
    LayerSite,
    ResidualStream,
    StreamVectors,
    install_stream_hooks,
    to_stream,
    to_vectors,
    watching_stream,
)
from model.capture.tokens import Tokens, most_tokens, tokenize
from model.catalogue.tasks import Decision, Task, to_decision
from model.catalogue.weighed import Weighed
from model.errors import HeadlightError

Forward = Callable[[Tensor, Tensor], Tensor]
"""(token ids (1, T), segment ids (1, T)) -> (1, T, d_model) or (1, T, vocab_size)."""


@dataclass(frozen=True)
class LoadedModel(Weighed):
    """A model that reads a text, with its tokenizer and its hooks.

    Safe to share between threads: nothing in it changes after it is made.

    Attributes:
        name: The catalogue name, hub id or folder that it was asked for by.
        module: The network, in eval mode.
        encode: Runs it up to the last hidden states.
        tokenizer: The model's own.
        n_layers: Number of layers.
        n_heads: Heads per layer.
        d_model: Width of the hidden states.
        max_len: Most tokens that it takes, special tokens included.
        outputs: W^O of each layer, which the heads' contexts enter side by side. Layers that share
            their weights (ALBERT) share the module.
        layers: What each layer is made of, shared layers once; empty where that is not known.
        position_table: What is added to the embeddings for each position, (max_len, d_model); None
            for models that tell order in another way.
        masked_lm: Runs it up to the logits over the vocabulary; None without such a head.
        mask_token: How the text writes a masked word, e.g. ``[MASK]``.
        language_head: From what leaves its last layer to logits over its vocabulary; None without
            such a head.
        task: What its head was fine-tuned for; None without such a head.
        stack: What its layers are: an encoder's, or a decoder's, where no token sees a later one.
    """

    name: str
    module: nn.Module
    encode: Forward
    tokenizer: Tokenizer
    n_layers: int
    n_heads: int
    d_model: int
    max_len: int
    outputs: tuple[nn.Module, ...]
    layers: tuple[LayerSite, ...] = ()
    position_table: Tensor | None = None
    masked_lm: Forward | None = None
    mask_token: str = "[MASK]"
    language_head: LanguageHead | None = None
    task: Task | None = None
    stack: Stack = "encoder"

    def hooked(self, sites: Sequence[AttentionSite]) -> Self:
        """Make the module ready to look at, once: eval mode, hooks installed.

        Args:
            sites: Where it computes attention, in the order of the layers.

        Returns:
            The same model.
        """
        install_hooks(sites, self.outputs, self.stack)
        install_stream_hooks(self.layers)
        self.module.eval()
        return self

    def output_weights(self) -> tuple[Tensor, ...]:
        """W^O by heads: what each head's context is multiplied with before the heads are added up.

        Concat(head_1, ..., head_H) W^O = sum over h of head_h W^O_h (Vaswani et al. 2017,
        section 3.2.2).

        Returns:
            Per layer (H, K, D): views of the model's own weights.
        """
        return tuple(_map(output).unflatten(0, (self.n_heads, -1)) for output in self.outputs)

    def norms(self, layer: int) -> tuple[nn.Module, nn.Module] | None:
        """What normalises a layer's two sums; None where the norm is not post.

        Equal runs of layers share one site, as ALBERT's do.
        """
        return self.layers[layer * len(self.layers) // self.n_layers].norms

    @property
    def d_head(self) -> int:
        """K: what each head's context is wide."""
        return len(_map(self.outputs[0])) // self.n_heads

    @property
    def most_tokens(self) -> int:
        """Most tokens of a text that are read: what the model takes, and a capture has room for."""
        return min(self.max_len, most_tokens(self.n_layers * self.n_heads))

    def tokenize(self, text: str, text_pair: str | None = None) -> Tokens:
        """Tokenise as :meth:`attend` does; see :func:`model.capture.tokens.tokenize`."""
        return tokenize(self.tokenizer, text, text_pair, self.most_tokens)

    def attend(self, text: str, text_pair: str | None = None) -> AttentionCapture:
        """Run the model on a sentence, or a pair, and capture every head.

        Text beyond the model's length is cut off and kept in ``capture.left_out``.

        Raises:
            HeadlightError: If there is no text.
        """
        tokens = self.tokenize(text, text_pair)
        observed, _ = self.watch(tokens)
        blank_pair = not text_pair or not text_pair.strip()
        pair = None if blank_pair else text_pair
        return to_capture(observed, tokens, self.name, text, pair, stack=self.stack)

    def watch(
        self, tokens: Tokens, encode: Forward | None = None, off: HeadsOff | None = None
    ) -> tuple[Observed, Tensor]:
        """Run the model on tokens as they are given, every head recorded.

        Args:
            tokens: In any order, of any tokenisation that its vocabulary covers.
            encode: Another way through the same modules than the model's own.
            off: Heads that are switched off.

        Returns:
            What the hooks saw, and what came out: the last hidden states (T, d_model).
        """
        with recording(off, self.n_layers) as observed:
            hidden = self._run(encode or self.encode, tokens)[0]
        if len(observed.weights) != self.n_layers:
            raise RuntimeError(
                f"{self.name}: {len(observed.weights)} of {self.n_layers} layers were captured."
            )
        return observed, hidden

    def residual_stream(self, text: str, text_pair: str | None = None) -> ResidualStream:
        """Run the model on a sentence, or a pair, and measure what every layer adds to its tokens.

        Raises:
            HeadlightError: If it is not known what the model's layers add up, or there is no text.
        """
        return to_stream(self.stream_vectors(text, text_pair))

    def stream_vectors(self, text: str, text_pair: str | None = None) -> StreamVectors:
        """Run the model on a sentence, or a pair, and keep every vector of its residual stream.

        Raises:
            HeadlightError: As :meth:`residual_stream`.
        """
        if not self.layers:
            raise HeadlightError(
                "It is not known here what the layers of {model} add up, so its residual stream "
                "cannot be shown. Choose another model.",
                model=self.name,
            )
        tokens = self.tokenize(text, text_pair)
        with watching_stream() as seen:
            self._run(self.encode, tokens)
        return to_vectors(seen)

    def hidden_states(self, text: str, text_pair: str | None = None) -> Tensor:
        """Run the forward pass alone, nothing recorded: the last hidden states, (T, d_model)."""
        return self._run(self.encode, self.tokenize(text, text_pair))[0]

    def predict(
        self, text: str, text_pair: str | None = None, top_k: int = 10
    ) -> list[list[tuple[str, float]]]:
        """Say what could stand in place of each mask token.

        Args:
            text: A sentence with at least one mask token (``[MASK]`` for BERT's vocabulary).
            text_pair: A second sentence, or None.
            top_k: How many candidates per mask, at least 1.

        Returns:
            Per mask token, ``top_k`` pairs (token, probability), most probable first.

        Raises:
            HeadlightError: If the model has no masked-language head, or nothing is masked.
        """
        if self.masked_lm is None:
            raise HeadlightError(
                "{model} has no masked-language head, so it cannot predict a masked word. "
                "Choose a model that has one, such as bert-base-uncased.",
                model=self.name,
            )
        tokens = self.tokenize(text, text_pair)
        mask_id = self.tokenizer.token_to_id(self.mask_token)
        masked = [position for position, id_ in enumerate(tokens.ids) if id_ == mask_id]
        if not masked:
            raise HeadlightError(
                "Nothing is masked: write {mask_token} in place of a word.",
                mask_token=self.mask_token,
            )
        probabilities = self._run(self.masked_lm, tokens)[0, masked].softmax(dim=-1)  # (masks, V)
        best = probabilities.topk(min(max(top_k, 1), probabilities.shape[-1]))
        return [
            [(self.piece(id_), p) for id_, p in zip(ids, row, strict=True)]
            for ids, row in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    def decide(self, text: str, text_pair: str | None = None) -> Decision:
        """Say what the model was fine-tuned to say about a sentence, or a pair.

        Args:
            text: A sentence; of a pair for a model that answers, the question.
            text_pair: A second sentence, in which an answer stands; or None.

        Returns:
            Probabilities of the labels, about the tokens that :meth:`tokenize` gives.

        Raises:
            HeadlightError: If the model was not fine-tuned to decide anything, or there is no text.
        """
        if self.task is None:
            raise HeadlightError(
                "{model} was not fine-tuned to decide anything: it has no head that classifies "
                "or finds answers. Choose a model that has one.",
                model=self.name,
            )
        tokens = self.tokenize(text, text_pair)
        logits = self._run(self.task.logits, tokens)[0]  # without the batch of one
        return to_decision(self.task, logits, tokens, (text, text_pair or ""))

    def piece(self, token_id: int) -> str:
        """A vocabulary entry as a person reads it; raw where decoding leaves nothing."""
        readable = self.tokenizer.decode([token_id], skip_special_tokens=False).strip()
        return readable or str(self.tokenizer.id_to_token(token_id))

    @torch.inference_mode()
    def _run(self, forward: Forward, tokens: Tokens) -> Tensor:
        return forward(torch.tensor([tokens.ids]), torch.tensor([tokens.segment_ids]))


def _map(output: nn.Module) -> Tensor:
    """W^O as it multiplies from the right, (H*K, D). torch keeps it transposed, GPT-2 as it is."""
    weight: Tensor = output.get_parameter("weight").detach()
    return weight.T if isinstance(output, nn.Linear) else weight
