"""Training loop of the translators. A resumed run equals an uninterrupted one."""

import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Encoding
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from model.errors import HeadlightError
from model.training.checkpoint import check_same_run, write_checkpoint
from model.training.translation.measure import answers, loss_of
from model.training.translation.recipe import Progress, Recipe
from model.training.translation.tasks import Example, Sizes, Task
from model.training.translation.tokenizers import PADDING, SPECIAL, UNKNOWN, padded
from model.transformer.attention import padding_mask
from model.transformer.encoder_decoder import EncoderDecoder

POOL = 16
"""Number of steps whose examples are drawn and sorted together."""


class Run:
    """A training run in a folder.

    Args:
        folder: Folder of the run. If it has a checkpoint, the run resumes.
        task: The task.
        recipe: Recipe of the run.
        sizes: Sizes of the model. None uses the sizes of the task.

    Raises:
        HeadlightError: If the checkpoint belongs to another run.
    """

    def __init__(
        self, folder: Path, task: Task, recipe: Recipe, sizes: Sizes | None = None
    ) -> None:
        self.folder = folder
        self.task = task
        self.recipe = recipe
        self.sizes = sizes or task.sizes
        self.progress = Progress()
        self.model = EncoderDecoder(self.sizes.encoder, self.sizes.decoder)
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
        folder.mkdir(parents=True, exist_ok=True)
        if self.state_file.is_file():
            self._restore()

    @property
    def state_file(self) -> Path:
        """Path of the last checkpoint."""
        return self.folder / "state.pt"

    def step(self) -> float:
        """Train on the next batch and return the mean loss of a target token in nats.

        Raises:
            HeadlightError: If the loss is not finite. The last checkpoint remains.
        """
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
        if not math.isfinite(loss.item()):
            raise HeadlightError(
                "The loss of step {step} is {loss}, so the run has diverged. Go back to the "
                "checkpoint in {folder} and lower the learning rate.",
                step=at,
                loss=loss.item(),
                folder=str(self.folder),
            )
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.rate(at)
        self.optimizer.step()
        self.progress.step += 1
        self.progress.seconds += time.perf_counter() - began
        return loss.item()

    def measured(self, examples: Sequence[Example]) -> tuple[float, float]:
        """Mean loss of a target token in nats, and share of correct translations.

        Args:
            examples: Examples to measure on.
        """
        self.model.eval()
        found = answers(self.model, self.task, examples)
        right = sum(a.target == b for a, b in zip(examples, found, strict=True))
        loss = loss_of(self.model, self.task, examples)
        self.model.train()
        return loss, right / len(examples)

    def _forgotten(self, targets: Tensor) -> Tensor:
        """Random mask of target tokens to replace with <unk>. It excludes special tokens."""
        return (torch.rand(targets.shape) < self.recipe.forget) & (targets >= len(SPECIAL))

    def _batch(self, step: int) -> tuple[Tensor, Tensor]:
        """Sources (B, Ts) and targets (B, Tt), which depend only on the seed and the step.

        Examples of several steps are drawn together and sorted by length, which reduces padding:
        "sentence pairs were batched together by approximate sequence length" (Vaswani et al. 2017,
        section 5.1).
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
        pairs = sorted(
            zip(sources, targets, strict=True), key=lambda pair: len(pair[0]) + len(pair[1])
        )
        batches = [pairs[i : i + size] for i in range(0, len(pairs), size)]
        rng.shuffle(batches)
        return batches

    def save(self) -> None:
        """Write a checkpoint atomically.

        Raises:
            HeadlightError: If the write fails. The previous checkpoint remains.
        """
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
            "config": asdict(self.sizes),
            "recipe": asdict(self.recipe),
        }
        write_checkpoint(self.state_file, state)

    def _restore(self) -> None:
        state = torch.load(self.state_file, weights_only=True)
        check_same_run(self.folder, state, self.sizes, self.recipe)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])

    def snapshot(self) -> None:
        """Write the weights of this step in fp16."""
        folder = self.folder / "snapshots"
        folder.mkdir(exist_ok=True)
        weights = {n: w.half().contiguous() for n, w in self.model.state_dict().items()}
        save_file(weights, folder / f"step-{self.progress.step:06d}.safetensors")

    def note(self, **values: Any) -> None:
        """Append a line to the run's log.

        Args:
            **values: Measurements, JSON.
        """
        line = {**asdict(self.progress), **values}
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
