"""The training loop: resumable at every step, and the same whichever way it got there."""

import copy
import json
import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from model.errors import HeadlightError
from model.training.corpus import Corpus, Packing, batches, sequences
from model.training.loss import Sample, losses_on
from model.training.masking import mask_tokens
from model.training.word_vectors import word_vectors
from model.transformer.config import EncoderConfig
from model.transformer.language_model import MaskedLanguageModel

SNAPSHOTS = (0, *(100 * 2**k for k in range(12)))
"""Steps after which the weights are kept, so that heads can be watched as they form."""


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what a run computes.

    Attributes:
        seed: Of the weights, the order of the text, and the masks.
        first: The step it begins with: 0, or where the weights that it goes on from were left.
        lr: Peak learning rate.
        warm_up: Steps from there until it is reached.
        cooldown: Steps over which it falls to 5 % at the end. Between the two it stays: a run can
            go on for as long as there is time, and be brought down whenever it has to end.
        weight_decay: AdamW's.
        clip: Largest norm of the gradient.
        mask_share: Of the tokens, how many are predicted; falls to half of it in the cooldown
            (Ankner et al. 2024, "Dynamic Masking Rate Schedules for MLM Pretraining").
        short_steps: Steps on short sequences first: positions are learned there sooner, and
            nothing else is learned before them.
        short: Packing of those.
        long: Packing of the others.
        common: How many of the most frequent tokens the softmax always compares; 0 compares all.
        negatives: How many others it draws.
    """

    seed: int = 0
    first: int = 0
    lr: float = 1e-3
    warm_up: int = 200
    cooldown: int = 4_000
    weight_decay: float = 0.01
    clip: float = 1.0
    mask_share: float = 0.3
    short_steps: int = 1_000
    short: Packing = field(default_factory=lambda: Packing(shortest=6, longest=24))
    long: Packing = field(default_factory=Packing)
    common: int = 2_000
    negatives: int = 2_048

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of a step in a run of that many."""
        up = min(1.0, (step - self.first + 1) / self.warm_up)
        return self.lr * up * max(0.05, self._left(step, steps))

    def masked(self, step: int, steps: int) -> float:
        """The share of masked tokens of a step in a run of that many."""
        return self.mask_share * max(0.5, self._left(step, steps))

    def _left(self, step: int, steps: int) -> float:
        """1 until the cooldown begins, and 0 at its end."""
        return min(1.0, (steps - step) / self.cooldown) if self.cooldown else 1.0


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        step: Steps done.
        tokens: Tokens seen.
        seconds: Spent training, over all sessions.
        epoch: Which pass over the text.
        batch: Which batch of it comes next.
    """

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    epoch: int = 0
    batch: int = 0


class Run:
    """A training run in a folder: begun, or taken up where it was left."""

    def __init__(
        self,
        folder: Path,
        config: EncoderConfig,
        recipe: Recipe,
        corpus: Corpus,
        tokenizer: Tokenizer,
        device: str = "cpu",
        parts: int = 1,
    ) -> None:
        """Begin, or read the checkpoint of the folder.

        Args:
            folder: Of the run.
            config: Of the encoder.
            recipe: What the run computes.
            corpus: What it reads.
            tokenizer: The corpus's.
            device: As torch names it.
            parts: The gradient of a batch is computed in so many parts at once, each on a core of
                its own: they never wait for one another, as the threads inside an operation do.
        """
        self.folder = folder
        self.recipe = recipe
        self.corpus = corpus
        self.device = torch.device(device)
        self.cls, self.sep, self.mask = (
            _id(tokenizer, token) for token in ("[CLS]", "[SEP]", "[MASK]")
        )
        self.progress = Progress()
        self.model = MaskedLanguageModel(config)
        counts = torch.from_numpy(np.array(corpus.counts))
        width = config.d_embedding or config.d_model
        begun = self.state_file.is_file() or recipe.first > 0  # its weights are given later
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
        folder.mkdir(parents=True, exist_ok=True)
        if self.state_file.is_file():
            self._restore()
        self._refresh()

    @property
    def state_file(self) -> Path:
        """The last checkpoint."""
        return self.folder / "state.pt"

    def go_on_from(self, weights: dict[str, Tensor], progress: Progress) -> None:
        """Begin with weights that were trained before, but not with their optimizer's state.

        Args:
            weights: Of the whole language model, by name.
            progress: Where their training ended.
        """
        self.model.load_state_dict(weights)
        self.progress = progress
        self._refresh()

    # -- one step --------------------------------------------------------------------------------

    def step(self, steps: int) -> float:
        """Train on the next batch, as part of a run of ``steps`` steps: the loss in nats.

        Raises:
            HeadlightError: If the loss is no number any more; the last checkpoint is kept.
        """
        began = time.perf_counter()
        at = self.progress.step
        generator = torch.Generator().manual_seed(self.recipe.seed * 1_000_003 + at)
        ids = torch.from_numpy(sequences(self.corpus, self._next_batch(), self.cls, self.sep))
        vocab_size = len(self.model.bias)
        share = self.recipe.masked(at, steps)
        corrupted, chosen = mask_tokens(ids, share, self.mask, vocab_size, generator)
        targets = ids[chosen].to(self.device)
        sample = Sample.around(targets, self.common, self.recipe.negatives, vocab_size, generator)
        parts = (rows.chunk(self._parts) for rows in (corrupted, chosen, ids))
        found = list(self._workers.map(partial(self._gradient, sample, len(targets)), *parts))
        loss = sum(part[0] for part in found)
        if not math.isfinite(loss):
            raise HeadlightError(
                "The loss of step {step} is {loss}: the run has diverged. The checkpoint in "
                "{folder} is from before; try a lower learning rate.",
                step=at,
                loss=loss,
                folder=str(self.folder),
            )
        for weight, *gradients in zip(self.weights, *(part[1] for part in found), strict=True):
            # Of the table, a gradient names the rows that a batch touches: some 7,000 of 30,522.
            total, *others = (gradient.float() for gradient in gradients)
            weight.grad = sum(others, start=total).to_dense()
        nn.utils.clip_grad_norm_(self.weights, self.recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.rate(at, steps)
        self.optimizer.step()
        self._refresh()
        self.progress.step += 1
        self.progress.tokens += ids.numel()
        self.progress.seconds += time.perf_counter() - began
        return loss

    def _gradient(
        self, sample: Sample, total: int, corrupted: Tensor, chosen: Tensor, ids: Tensor
    ) -> tuple[float, tuple[Tensor, ...]]:
        """What a part of a batch, (B, T) each, adds to its mean loss, and the gradient of that."""
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            hidden = self._half.encoder(corrupted.to(self.device))[chosen.to(self.device)]
            targets = ids[chosen].to(self.device)
            loss = losses_on(self._half, hidden, targets, sample).sum() / total
        return loss.item(), torch.autograd.grad(loss, list(self._half.parameters()))

    @torch.no_grad()
    def _refresh(self) -> None:
        """Bring the 16-bit copy up to date."""
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

    # -- keeping ---------------------------------------------------------------------------------

    def save(self, name: str = "state.pt") -> None:
        """Write a checkpoint. Whatever happens meanwhile, the one before it stays whole.

        Raises:
            HeadlightError: If it cannot be written; the one before it is kept.
        """
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
            "config": asdict(self.model.encoder.config),
            "recipe": asdict(self.recipe),
        }
        file = self.folder / name
        try:
            with open(f"{file}.new", "wb") as handle:
                torch.save(state, handle)
                handle.flush()
                os.fsync(handle.fileno())
            os.replace(f"{file}.new", file)
        except (OSError, RuntimeError) as error:  # torch reports a full disk as a RuntimeError
            raise HeadlightError(
                "The checkpoint could not be written to {folder} ({reason}): is the disk full? "
                "The checkpoint before it is kept.",
                folder=str(self.folder),
                reason=str(error).splitlines()[0],
            ) from error

    def _restore(self) -> None:
        state = torch.load(self.state_file, map_location=self.device, weights_only=True)
        # Where it began is the run's own: other weights may have shipped since, its own among them.
        self.recipe = replace(self.recipe, first=state["recipe"].get("first", 0))
        for name, mine in (
            ("config", asdict(self.model.encoder.config)),
            ("recipe", asdict(self.recipe)),
        ):
            theirs = state[name]
            other = sorted(key for key in mine if theirs.get(key) != mine[key])
            if other:
                raise HeadlightError(
                    "The run in {folder} was begun with another {what}: go on with that one, or "
                    "choose another folder.",
                    folder=str(self.folder),
                    what=", ".join(f"{key} ({theirs.get(key)})" for key in other),
                )
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])

    def snapshot(self) -> None:
        """Keep the weights of this step, fp16."""
        folder = self.folder / "snapshots"
        folder.mkdir(exist_ok=True)
        weights = {n: w.half().cpu().contiguous() for n, w in self.model.state_dict().items()}
        save_file(weights, folder / f"step-{self.progress.step:07d}.safetensors")

    def note(self, **values: Any) -> None:
        """Append a line to the run's log."""
        line = {**asdict(self.progress), **values}
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")


def _id(tokenizer: Tokenizer, token: str) -> int:
    found = tokenizer.token_to_id(token)
    if found is None:
        raise HeadlightError("The tokenizer has no {token}.", token=token)
    return int(found)


def _in_16_bits(model: MaskedLanguageModel) -> MaskedLanguageModel:
    """A copy to multiply with; the weights that are updated stay in 32 bits.

    The token table and the output's bias are the model's own: a frequent token's gradient is a sum
    over hundreds of places, which 16 bits would cut short, and so would a bias of -15.
    """
    half = copy.deepcopy(model).bfloat16()
    token = half.encoder.embeddings.token
    token.weight, half.bias = model.encoder.embeddings.token.weight, model.bias
    token.sparse = True
    return half


def _groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Biases and gains are not pulled towards 0."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    return [
        {"params": matrices, "weight_decay": weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]


# -- measuring -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Accuracy:
    """How well masked tokens are predicted.

    Attributes:
        loss: Mean cross-entropy in nats, over the whole vocabulary.
        top1: Share of masked tokens whose best guess is right.
        top5: Share whose five best guesses hold it.
        count: Masked tokens.
    """

    loss: float
    top1: float
    top5: float
    count: int


@torch.inference_mode()
def measure(
    model: MaskedLanguageModel, rows: Iterator[Tensor], mask_id: int, seed: int = 0
) -> Accuracy:
    """Mask 15 % of each row, all behind [MASK], and predict.

    Args:
        model: In whatever mode; left as it was.
        rows: Ids of sequences, (T,) each, special tokens first and last.
        mask_id: Of ``[MASK]``.
        seed: Of the choice.
    """
    training = model.training
    model.eval()
    generator = torch.Generator().manual_seed(seed)
    device = model.bias.device
    losses, first, five = [], [], []
    for row in rows:
        corrupted, chosen = mask_tokens(
            row[None], 0.15, mask_id, len(model.bias), generator, always_mask=True
        )
        hidden = model.encoder(corrupted.to(device))[0][chosen[0].to(device)]
        logits = model.logits(hidden).float()
        targets = row[chosen[0]].to(device)
        losses.append(nn.functional.cross_entropy(logits, targets, reduction="none").cpu())
        hits = logits.topk(5).indices == targets[:, None]
        first.append(hits[:, 0].cpu())
        five.append(hits.any(1).cpu())
    model.train(training)
    loss, top1, top5 = (torch.cat(parts).float() for parts in (losses, first, five))
    return Accuracy(loss.mean().item(), top1.mean().item(), top5.mean().item(), len(loss))
