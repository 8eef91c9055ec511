"""Loaded model: runs on a text and captures its attention; one interface for all families.

Axes: B texts, T tokens, H n_heads, K d_head, D d_model, V vocab_size.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, overload

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from model.capture.attention_hooks import (
    AttentionRecord,
    HeadsOff,
    check_finite,
    install_attention_hooks,
    record_attention,
)
from model.capture.language_head import LanguageHead
from model.capture.record import AttentionCapture, some_attention
from model.capture.residual_stream import (
    LayerSite,
    ResidualStream,
    StreamRecord,
    StreamVectors,
    install_stream_hooks,
    record_stream,
    to_stream,
    to_vectors,
)
from model.capture.sites import Attentions, AttentionSite, Stack, to_cpu
from model.capture.stacks import to_capture
from model.capture.tokens import Tokens, most_tokens, tokenize
from model.catalogue.input_limits import check_memory, token_limit, tokens_of_row, warn_of_cut
from model.catalogue.model_size import SizedModel
from model.catalogue.tasks import Decision, Task, to_decision
from model.catalogue.text_list import text_list
from model.errors import HeadlightError

Forward = Callable[[Tensor, Tensor], Tensor]
"""(token ids (B, T), segment ids (B, T)) -> (B, T, d_model) or (B, T, vocab_size)."""

BATCHES_TOGETHER = 32
"""Batches whose texts are grouped by length; their captures are in memory together."""


@dataclass(frozen=True)
class LoadedModel(SizedModel):
    """A model that reads a text, with its tokenizer and its hooks.

    Threads can share it: nothing in it changes after its creation.

    Attributes:
        outputs: W^O of each layer; layers that share their weights (ALBERT) share it. Its input is
            the concatenated contexts of the heads. Empty if unknown.
        layers: The modules of each layer; empty if unknown.
        position_table: Learned or fixed position encodings, (max_len, d_model); None for models
            that encode positions in another way.
        masked_lm: Runs the network up to the logits over the vocabulary; None without such a head.
        mask_token: The text of a masked word, e.g. ``[MASK]``.
        language_head: From the output of the last layer to logits over the vocabulary; None without
            such a head.
        task: The task that the model's head was fine-tuned for; None without such a head.
        quantisation: Type of the quantised weights in its file, such as ``Q4_1``; else "".
        attention_layers: The layers that have attention; None: all.
        mixes_elsewhere: Whether tokens also mix beside attention, in layers that have it.
        attentions: The attention modules of the stack with their W^O, in the order of the layers;
            set by :meth:`with_hooks`.
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
    quantisation: str = ""
    attentions: Attentions = field(default_factory=dict)
    has_steps: bool = True
    attention_layers: tuple[int, ...] | None = None
    mixes_elsewhere: bool = False

    def __repr__(self) -> str:
        """Return one line: the network and the tokenizer would fill hundreds."""
        return (
            f"{type(self).__name__}({self.name!r}, {self.stack}, {self.n_layers} layers x "
            f"{self.n_heads} heads)"
        )

    def with_hooks(self, sites: Sequence[AttentionSite]) -> Self:
        """Install the hooks and switch to eval mode. Call it once."""
        install_attention_hooks(sites, self.outputs, self.stack)
        install_stream_hooks(self.layers)
        self.module.eval()
        n_sites = len(self.attention_layers or range(self.n_layers))
        sited = [sites[index * len(sites) // n_sites] for index in range(n_sites)]
        attentions = tuple(
            (site.around or site.module, output)  # layers can share it
            for site, output in zip(sited, self.outputs, strict=False)
        )
        has_steps = all(site.has_steps for site in sites)
        return replace(self, attentions={self.stack: attentions}, has_steps=has_steps)

    def output_weights(self) -> tuple[Tensor, ...]:
        """Split W^O into the part of each head, per layer (H, K, D), float32 on the CPU.

        Concat(head_1, ..., head_H) W^O = sum over h of head_h W^O_h (Vaswani et al. 2017, section
        3.2.2). They are views of the model's own weights, if these are there.
        """
        self.check_outputs()
        return tuple(
            to_cpu(_matrix(output)).unflatten(0, (self.n_heads, -1))  # (H*K, D) -> (H, K, D)
            for output in self.outputs
        )

    def check_outputs(self) -> None:
        """Check that each layer has attention, and that its W^O is known."""
        if self.attention_layers is not None:
            raise some_attention(self.name)
        if not self.outputs:
            raise HeadlightError(
                "Headlight does not know the output matrices (Wᴼ) of {model}, which are "
                "necessary here. Choose another model.",
                model=self.name,
            )

    @property
    def d_head(self) -> int:
        """K: width of each head's context."""
        return len(_matrix(self.outputs[0])) // self.n_heads

    @property
    def most_tokens(self) -> int:
        """Most tokens of a text: limited by the model and by the size of a capture."""
        return min(self.max_len, most_tokens(self.n_layers * self.n_heads))

    def tokenize(
        self, text: str, text_pair: str | None = None, max_tokens: int | None = None
    ) -> Tokens:
        """Tokenise as :meth:`attend` does; see :func:`model.capture.tokens.tokenize`."""
        return tokenize(self.tokenizer, text, text_pair, token_limit(self, max_tokens))

    def tokenize_all(self, texts: Iterable[str], max_tokens: int | None = None) -> list[Tokens]:
        """Tokenise texts, and warn if one is cut."""
        tokens = [self.tokenize(text, None, max_tokens) for text in texts]
        if cut := [each for each in tokens if any(each.left_out)]:
            warn_of_cut(self, cut[0], level=4)
        return tokens

    @overload
    def attend(  # type: ignore[overload-overlap]  # a str is an iterable of str, too
        self, text: str, text_pair: str | None = None, *, max_tokens: int | None = None
    ) -> AttentionCapture: ...

    @overload
    def attend(
        self, text: Iterable[str], *, batch_size: int = 8, max_tokens: int | None = None
    ) -> Iterator[AttentionCapture]: ...

    @overload
    def attend(
        self, *, input_ids: Sequence[int] | Tensor, max_tokens: int | None = None
    ) -> AttentionCapture: ...

    def attend(
        self,
        text: str | Iterable[str] | None = None,
        text_pair: str | None = None,
        *,
        input_ids: Sequence[int] | Tensor | None = None,
        batch_size: int = 8,
        max_tokens: int | None = None,
    ) -> AttentionCapture | Iterator[AttentionCapture]:
        """Run the model on a sentence, or a pair, and capture every head.

        Args:
            text: The sentence, or a list or another iterable of sentences.
            input_ids: Token ids instead of a text, (T,) or (1, T). The model reads exactly these;
                no special token is added.
            batch_size: Most sentences of a list in one forward pass.
            max_tokens: Most tokens to read, special tokens included, from 1 to ``max_len``; None:
                :attr:`most_tokens`. A capture takes 4 bytes for each head, query and key.

        Returns:
            The capture. For a list, or another iterable, the captures in the order of the
            sentences, computed as they are read. A text with more tokens is cut: a
            :class:`CutTextWarning` says so, and ``capture.left_out`` holds the rest.

        Raises:
            HeadlightError: If there is no text, or ``max_tokens`` or a token id is out of range; a
                list's error names its position, from 0.
        """
        if input_ids is not None and text is None:
            return self.capture(*tokens_of_row(self, input_ids, token_limit(self, max_tokens)))
        if input_ids is not None or text is None:
            raise HeadlightError("attend reads a text or input_ids. Give one of them.")
        if not isinstance(text, str):
            if text_pair is not None:
                raise HeadlightError(
                    "attend reads a list of texts without pairs. Call it for each."
                )
            return self._attend_all(text_list(text), batch_size, max_tokens)
        tokens = self.tokenize(text, text_pair, max_tokens)
        if any(tokens.left_out):
            warn_of_cut(self, tokens)
        return self.capture(tokens, text, text_pair)

    def capture(self, tokens: Tokens, text: str, text_pair: str | None = None) -> AttentionCapture:
        """Run the model on tokens and capture every head; HeadlightError if memory is too small."""
        check_memory(self, 1, tokens)
        record, _ = self.run_recorded(tokens)
        pair = text_pair if text_pair and text_pair.strip() else None
        return to_capture(record, tokens, self, text, pair, stack=self.stack)

    def _attend_all(
        self, texts: list[str], batch_size: int, max_tokens: int | None
    ) -> Iterator[AttentionCapture]:
        for start in range(0, len(texts), batch_size * BATCHES_TOGETHER):
            some = texts[start : start + batch_size * BATCHES_TOGETHER]
            tokens = self.tokenize_all(some, max_tokens)
            captures: dict[int, AttentionCapture] = {}
            for batch in same_lengths(tokens, batch_size):
                check_memory(self, len(batch), tokens[batch[0]])
                records, _ = self.run_batch([tokens[i] for i in batch])
                for i, record in zip(batch, records, strict=True):
                    captures[i] = to_capture(
                        record, tokens[i], self, some[i], None, stack=self.stack
                    )
            yield from (captures.pop(i) for i in range(len(some)))

    def run_recorded(
        self, tokens: Tokens, encode: Forward | None = None, off: HeadsOff | None = None
    ) -> tuple[AttentionRecord, Tensor]:
        """Run the model on tokens: the record of every head, and the states (T, d_model)."""
        records, hidden = self.run_batch([tokens], encode, off)
        return records[0], hidden[0]

    def run_batch(
        self, batch: Sequence[Tokens], encode: Forward | None = None, off: HeadsOff | None = None
    ) -> tuple[list[AttentionRecord], Tensor]:
        """Run equally long texts: the record of each, and the last states (B, T, d_model)."""
        with record_attention(off, self.n_layers, self.attention_layers) as record:
            hidden = self._run(encode or self.encode, *batch)
        records = [record.row(index) for index in range(len(batch))]
        numbers = self.attention_layers or range(self.n_layers)
        for each in records:
            if len(each.weights) != len(numbers):
                raise RuntimeError(
                    f"{self.name}: {len(each.weights)} of {len(numbers)} layers were captured."
                )
            check_finite(each.weights, self.name, self.origin["dtype"], numbers)
        return records, hidden

    def residual_stream(self, text: str, text_pair: str | None = None) -> ResidualStream:
        """Measure the residual stream of a sentence, or a pair; the layers' parts must be known."""
        return to_stream(self.stream_vectors(text, text_pair))

    @property
    def has_parts(self) -> bool:
        """Whether what attention and feed-forward add to the stream is known in every layer."""
        return bool(self.layers) and all(site.attention is not None for site in self.layers)

    def stream_vectors(self, text: str, text_pair: str | None = None) -> StreamVectors:
        """Run the model on a sentence, or a pair, and record the vectors of its residual stream."""
        if not self.has_parts:
            raise self.unknown_parts()
        return to_vectors(self.stream_record(text, text_pair))

    def unknown_parts(self) -> HeadlightError:
        """Make the error for a model without :attr:`has_parts`."""
        return HeadlightError(
            "Headlight does not know what attention and feed-forward add in each layer of "
            "{model}, so it cannot show the residual stream. Choose another model.",
            model=self.name,
        )

    def stream_record(self, text: str, text_pair: str | None = None) -> StreamRecord:
        """Run the model on a sentence, or a pair, and record what its hooks see of the stream."""
        tokens = self.tokenize(text, text_pair)
        with record_stream() as record:
            self._run(self.encode, tokens)
        return record

    def hidden_states(self, text: str, text_pair: str | None = None) -> Tensor:
        """Run the model without recording: the last hidden states, (T, d_model)."""
        return self._run(self.encode, self.tokenize(text, text_pair))[0]

    def predict(
        self, text: str, text_pair: str | None = None, top_k: int = 10
    ) -> list[list[tuple[str, float]]]:
        """Predict the word at each mask token.

        Args:
            text: A sentence with at least one mask token (``[MASK]`` for BERT's vocabulary).
            top_k: How many candidates per mask, at least 1.

        Returns:
            Per mask token, ``top_k`` pairs (token, probability), most probable first.

        Raises:
            HeadlightError: If the model has no masked-language head, or nothing is masked.
        """
        if self.masked_lm is None:
            raise HeadlightError(
                "{model} cannot predict a masked word, because it has no masked-language head. "
                "Choose a model with one, such as bert-base-uncased.",
                model=self.name,
            )
        tokens = self.tokenize(text, text_pair)
        mask_id = self.tokenizer.token_to_id(self.mask_token)
        masked = [position for position, id_ in enumerate(tokens.ids) if id_ == mask_id]
        if not masked:
            raise HeadlightError(
                "No word is masked. Replace a word by {mask_token}.", mask_token=self.mask_token
            )
        probabilities = self._run(self.masked_lm, tokens)[0, masked].softmax(dim=-1)  # (masks, V)
        best = probabilities.topk(min(max(top_k, 1), probabilities.shape[-1]))
        return [
            [(self.piece(id_), p) for id_, p in zip(ids, row, strict=True)]
            for ids, row in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    def decide(self, text: str, text_pair: str | None = None) -> Decision:
        """Run the fine-tuned head on a sentence, or a pair, whose second has the answer.

        Raises a HeadlightError if the model has no fine-tuned head, or there is no text.
        """
        if self.task is None:
            raise HeadlightError(
                "{model} has no fine-tuned head that classifies or finds answers. Choose a "
                "model that has one.",
                model=self.name,
            )
        tokens = self.tokenize(text, text_pair)
        logits = self._run(self.task.logits, tokens)[0]  # without the batch of one
        return to_decision(self.task, logits, tokens, (text, text_pair or ""))

    def piece(self, token_id: int) -> str:
        """Decode a token for display; the raw piece if decoding gives nothing."""
        readable = self.tokenizer.decode([token_id], skip_special_tokens=False).strip()
        return readable or str(self.tokenizer.id_to_token(token_id))

    @torch.inference_mode()
    def _run(self, forward: Forward, *batch: Tokens) -> Tensor:
        ids = torch.tensor([tokens.ids for tokens in batch])  # (B, T)
        return forward(ids, torch.tensor([tokens.segment_ids for tokens in batch]))


def same_lengths(tokens: Sequence[Tokens], most: int) -> Iterator[list[int]]:
    """Group texts by their number of tokens."""
    groups: dict[int, list[int]] = {}
    for index, each in enumerate(tokens):
        groups.setdefault(len(each.ids), []).append(index)
    for group in groups.values():
        for start in range(0, len(group), most):
            yield group[start : start + most]


def _matrix(output: nn.Module) -> Tensor:
    """W^O as a right factor, (H*K, D). nn.Linear stores the transpose, GPT-2's Conv1D does not."""
    weight: Tensor = output.get_parameter("weight").detach()
    return weight.T if isinstance(output, nn.Linear) else weight  # (D, H*K) -> (H*K, D)
