"""Training run of the encoder."""

import copy
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from model.transformer.config import EncoderConfig
from model.transformer.language_model import MaskedLanguageModel
from training.encoder.corpus import Corpus, batches, sequences
from training.encoder.loss import Sample, losses_on, mask_tokens
from training.encoder.word_vectors import word_vectors
from training.loop import Progress, Run
from training.recipe import EncoderRecipe


class EncoderRun(Run):
    """A training run of the encoder.

    The gradients of ``parts`` of a batch are computed in parallel, one per core. Parts do not
    synchronise, unlike threads within an operation.
    """

    def __init__(
        self,
        folder: Path,
        config: EncoderConfig,
        recipe: EncoderRecipe,
        corpus: Corpus,
        tokenizer: Tokenizer,
        steps: int,
        device: str = "cpu",
        parts: int = 1,
    ) -> None:
        super().__init__(folder, config, recipe)
        self.recipe: EncoderRecipe = recipe
        self.corpus = corpus
        self.steps = steps
        self.device = torch.device(device)
        ids = tokenizer.get_vocab()
        self.cls, self.sep, self.mask = ids["[CLS]"], ids["[SEP]"], ids["[MASK]"]
        self.model: MaskedLanguageModel = MaskedLanguageModel(config)
        counts = torch.from_numpy(np.array(corpus.counts))
        width = config.d_embedding or config.d_model
        # go_on_from or a checkpoint sets the weights later.
        begun = self.state_file.is_file() or recipe.first > 0
        vectors = None if begun else torch.from_numpy(word_vectors(corpus, width, recipe.seed))
        self.model.initialise(counts, torch.Generator().manual_seed(recipe.seed), vectors)
        self.model.to(self.device).train()
        self.weights = list(self.model.parameters())
        self._half = _in_16_bits(self.model)
        self._workers = ThreadPoolExecutor(parts, initializer=torch.set_num_threads, initargs=(1,))
        self._parts = parts
        self.common = None
        if recipe.common:
            most = counts.topk(min(recipe.common, len(counts))).indices
            self.common = most.sort().values.to(self.device)
        self.optimizer = torch.optim.AdamW(
            _groups(self.model, recipe.weight_decay),
            lr=recipe.lr,
            betas=(0.9, 0.98),
            eps=1e-6,
            fused=True,
        )
        self._queue: list[np.ndarray] = []
        self._queued: tuple[bool, int] | None = None
        self.resume()
        self._refresh()

    def go_on_from(self, weights: dict[str, Tensor], progress: Progress) -> None:
        """Start from trained weights, and their progress, with a new optimizer state."""
        self.model.load_state_dict(weights)
        self.progress = progress
        self._refresh()

    # -- one step --------------------------------------------------------------------------------

    def step(self) -> float:  # noqa: D102 - see Run
        began = time.perf_counter()
        at = self.progress.step
        generator = torch.Generator().manual_seed(self.recipe.seed * 1_000_003 + at)
        ids = torch.from_numpy(sequences(self.corpus, self._next_batch(), self.cls, self.sep))
        vocab_size = len(self.model.bias)
        share = self.recipe.masked(at, self.steps)
        corrupted, chosen = mask_tokens(ids, share, self.mask, vocab_size, generator)
        targets = ids[chosen].to(self.device)
        sample = Sample.around(targets, self.common, self.recipe.negatives, vocab_size, generator)
        parts = (rows.chunk(self._parts) for rows in (corrupted, chosen, ids))
        found = list(self._workers.map(partial(self._gradient, sample, len(targets)), *parts))
        loss = sum(part[0] for part in found)
        for weight, *gradients in zip(self.weights, *(part[1] for part in found), strict=True):
            # The sparse gradient of the token table holds about 7,000 of its 30,522 rows.
            total, *others = (gradient.float() for gradient in gradients)
            weight.grad = sum(others, start=total).to_dense()
        self.update(loss, self.recipe.rate(at, self.steps))
        self._refresh()
        self.progress.step += 1
        self.progress.tokens += ids.numel()
        self.progress.seconds += time.perf_counter() - began
        return loss

    def _gradient(
        self, sample: Sample, total: int, corrupted: Tensor, chosen: Tensor, ids: Tensor
    ) -> tuple[float, tuple[Tensor, ...]]:
        """Contribution of a part of a batch, (B, T) each, to the mean loss, and its gradients."""
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            hidden = self._half.encoder(corrupted.to(self.device))[chosen.to(self.device)]
            targets = ids[chosen].to(self.device)
            loss = losses_on(self._half, hidden, targets, sample).sum() / total
        return loss.item(), torch.autograd.grad(loss, list(self._half.parameters()))

    @torch.no_grad()
    def _refresh(self) -> None:
        """Copy the weights to the 16-bit model."""
        for half, weight in zip(self._half.parameters(), self.weights, strict=True):
            half.copy_(weight)

    def _next_batch(self) -> np.ndarray:
        short = self.progress.step < self.recipe.short_steps
        if self.progress.step == self.recipe.short_steps:
            self.progress.epoch = self.progress.batch = 0
        if self._queued != (short, self.progress.epoch):
            self._queue_epoch(short)
        if self.progress.batch >= len(self._queue):
            self.progress.epoch += 1
            self.progress.batch = 0
            self._queue_epoch(short)
        batch = self._queue[self.progress.batch]
        self.progress.batch += 1
        return batch

    def _queue_epoch(self, short: bool) -> None:
        packing = self.recipe.short if short else self.recipe.long
        seed = 2 * self.recipe.seed + int(short)
        self._queue = batches(self.corpus, packing, seed, self.progress.epoch)
        self._queued = (short, self.progress.epoch)

    def restore(self, state: dict[str, Any]) -> None:  # noqa: D102 - see Run
        # Later weights may have shipped since the run began, so its own first step counts.
        self.recipe = replace(self.recipe, first=state["recipe"].get("first", 0))
        super().restore(state)


def _in_16_bits(model: MaskedLanguageModel) -> MaskedLanguageModel:
    """A bf16 copy of the model for the forward pass. The optimizer updates the 32-bit weights.

    Both share the token table and the output bias: 16 bits would truncate a bias of -15, and the
    gradient of a frequent token, which is a sum over hundreds of positions.
    """
    half = copy.deepcopy(model).bfloat16()
    token = half.encoder.embeddings.token
    token.weight, half.bias = model.encoder.embeddings.token.weight, model.bias
    token.sparse = True
    return half


def _groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Parameter groups without weight decay for biases and gains."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    return [
        {"params": matrices, "weight_decay": weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
