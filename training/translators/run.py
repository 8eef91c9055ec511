"""Training run of a translator."""

import random
import time
from pathlib import Path

import torch
from tokenizers import Encoding
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.transformer.attention import padding_mask
from model.transformer.encoder_decoder import EncoderDecoder
from training.loop import Run
from training.recipe import TranslatorRecipe
from training.translators.tasks import DataSizes, TranslationTask
from training.translators.tokenizers import PADDING, SPECIAL, UNKNOWN, padded

POOL = 16
"""Number of steps whose examples are drawn and sorted together."""


class TranslatorRun(Run):
    """A training run of a translator; ``sizes`` None are those of the task."""

    def __init__(
        self,
        folder: Path,
        task: TranslationTask,
        recipe: TranslatorRecipe,
        sizes: DataSizes | None = None,
    ) -> None:
        sizes = sizes or task.sizes
        super().__init__(folder, sizes, recipe)
        self.recipe: TranslatorRecipe = recipe
        self.task = task
        self.model: EncoderDecoder = EncoderDecoder(sizes.encoder, sizes.decoder)
        self.model.initialise(torch.Generator().manual_seed(recipe.seed))
        self.model.train()
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=recipe.lr,
            betas=(0.9, 0.98),  # section 5.3
            weight_decay=recipe.weight_decay,
        )
        self._pool: list[list[tuple[Encoding, Encoding]]] = []
        self._pool_number = -1
        self.resume()

    def step(self) -> float:
        """Train on the next batch and return the mean loss of a target token in nats."""
        began = time.perf_counter()
        at = self.progress.step
        sources, targets = self._batch(at)
        torch.manual_seed(self.recipe.seed * 1_000_003 + at)  # for dropout and _forgotten
        read = targets[:, :-1]  # (B, Tt - 1)
        read = read.masked_fill(self._forgotten(read), SPECIAL.index(UNKNOWN))
        mask = padding_mask((sources != PADDING).sum(1), sources.shape[1])
        # Padding is at the end, where the causal mask hides it from all other tokens.
        logits = self.model(sources, read, source_mask=mask)
        # (B, Tt - 1, V) -> (B * (Tt - 1), V), and targets (B, Tt - 1) -> (B * (Tt - 1),)
        loss = cross_entropy(logits.flatten(0, 1), targets[:, 1:].flatten(), ignore_index=PADDING)
        self.optimizer.zero_grad()
        loss.backward()
        self.update(loss.item(), self.recipe.rate(at))
        self.progress.step += 1
        self.progress.seconds += time.perf_counter() - began
        return loss.item()

    def _forgotten(self, targets: Tensor) -> Tensor:
        """Random mask of target tokens to replace with <unk>. It excludes special tokens."""
        return (torch.rand(targets.shape) < self.recipe.forget) & (targets >= len(SPECIAL))

    def _batch(self, step: int) -> tuple[Tensor, Tensor]:
        """Sources (B, Ts) and targets (B, Tt), which depend only on the seed and the step.

        Examples of several steps are drawn together and sorted by length, which reduces padding
        (Vaswani et al. 2017, section 5.1).
        """
        number, place = divmod(step, POOL)
        if self._pool_number != number:
            rng = random.Random(self.recipe.seed * 1_000_003 + number)  # noqa: S311 - no secret
            self._pool, self._pool_number = self._drawn(rng), number
        sources, targets = zip(*self._pool[place], strict=True)
        return padded(sources), padded(targets)

    def _drawn(self, rng: random.Random) -> list[list[tuple[Encoding, Encoding]]]:
        """Batches of examples of similar length in random order."""
        size = self.recipe.batch
        examples = [self.task.sample(rng) for _ in range(size * POOL)]
        sources = self.task.source.encode_batch([example.source for example in examples])
        targets = self.task.target.encode_batch([example.target for example in examples])
        pairs = sorted(zip(sources, targets, strict=True), key=lambda pair: sum(map(len, pair)))
        batches = [pairs[i : i + size] for i in range(0, len(pairs), size)]
        rng.shuffle(batches)
        return batches
