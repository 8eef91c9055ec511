"""Fine-tunes low-rank updates of MiniLM on sentiment: ``python -m training.sentiment.train``.

Every fourth sentence is held out. The accuracies are measured on these sentences only. The result
is the file of :mod:`model.catalogue.pretrained.sentiment`, which also states its expected hash.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import save
from torch import Tensor, nn
from tqdm import tqdm

from model.catalogue.pretrained.sentiment import FILE, trained_weights, with_updates
from model.errors import HeadlightError
from training.command import run_command

SENTENCES = Path(__file__).parent / "sentences.tsv"
LABELS = ("neg", "pos")  # in the file, in the order of the logits

BATCH = 16
EPOCHS = 6
LEARNING_RATE = 3e-3
"""Chosen by cross-validation on the training sentences, without the held-out sentences."""

Encode = Callable[..., Mapping[str, Tensor]]  # a tokenizer of transformers


class Labelled(NamedTuple):
    """A sentence and the number of its label."""

    text: str
    label: int


def read_sentences() -> tuple[list[Labelled], list[Labelled]]:
    """Return the training sentences, and every fourth sentence as held-out data."""
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines]
    sentences = [Labelled(text, LABELS.index(label)) for label, text in pairs]
    return [each for i, each in enumerate(sentences) if i % 4 != 3], sentences[3::4]


def train(
    model: nn.Module, tokenizer: Encode, sentences: Sequence[Labelled], epochs: int = EPOCHS
) -> list[float]:
    """Train the updates and the classifier; each epoch has a new order, from torch's seed."""
    n_steps = epochs * -(-len(sentences) // BATCH)
    optimizer = torch.optim.AdamW(trained_weights(model).values(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, n_steps)
    losses = []
    model.train()
    with tqdm(total=n_steps, unit="step", dynamic_ncols=True) as bar:
        for _ in range(epochs):
            for chosen in torch.randperm(len(sentences)).split(BATCH):
                inputs, labels = _batch(tokenizer, [sentences[i] for i in chosen.tolist()])
                loss = model(**inputs, labels=labels).loss
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                schedule.step()
                losses.append(loss.item())
                bar.update()
                bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    return losses


@torch.inference_mode()
def accuracy(model: nn.Module, tokenizer: Encode, sentences: Sequence[Labelled]) -> float:
    """Compute the share of the sentences whose label is predicted."""
    inputs, labels = _batch(tokenizer, sentences)
    model.train(False)
    found = model(**inputs).logits.argmax(dim=-1)  # (B, 2) -> (B,)
    return (found == labels).float().mean().item()


def _batch(tokenizer: Encode, sentences: Sequence[Labelled]) -> tuple[Mapping[str, Tensor], Tensor]:
    """Token ids, padded to the longest sentence, and labels: (B, T) and (B,)."""
    texts = [sentence.text for sentence in sentences]
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    return inputs, torch.tensor([sentence.label for sentence in sentences])


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m training.sentiment.train")
    parser.add_argument("--out", type=Path, default=FILE, help="the file to write")
    parser.add_argument("--seed", type=int, default=0)
    return run_command(run, parser, arguments)


def run(options: argparse.Namespace) -> None:
    """Train on three quarters of the sentences, measure on the others, and save."""
    torch.manual_seed(options.seed)
    out: Path = options.out
    model, tokenizer = with_updates()
    training, held_out = read_sentences()
    print(f"{len(training)} sentences to train on, {len(held_out)} held out")  # noqa: T201 - a command's answer
    before = accuracy(model, tokenizer, held_out)
    print(f"before: {before:.0%} of the held-out sentences right")  # noqa: T201
    train(model, tokenizer, training)
    print(f"after:  {accuracy(model, tokenizer, held_out):.0%}")  # noqa: T201
    content = save({name: each.detach() for name, each in trained_weights(model).items()})
    try:
        out.write_bytes(content)
    except OSError as error:
        raise HeadlightError(
            "The weights were not written to {file}: {reason}.",
            file=str(out),
            reason=error.strerror or str(error),
        ) from error
    print(f"Saved {out}, sha256 {hashlib.sha256(content).hexdigest()}")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
