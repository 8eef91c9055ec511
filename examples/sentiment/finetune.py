"""Fine-tunes the built-in MiniLM to distinguish praise from complaint, and saves it for Headlight.

    python -m examples.sentiment.finetune --out FOLDER

Every fourth sentence is held out. The accuracies are measured on these sentences only.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from torch import Tensor
from tqdm import tqdm
from transformers import (
    AutoTokenizer,
    BatchEncoding,
    BertForSequenceClassification,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging as transformers_logging

from model.catalogue.pretrained.hub import embedded_folder
from model.errors import HeadlightError

SENTENCES = Path(__file__).parent / "sentences.tsv"
LABELS = {"neg": "negative", "pos": "positive"}
"""Labels in the file, and in the model in the order of its logits."""

BATCH = 16
EPOCHS = 4
LEARNING_RATE = 2e-4
"""Chosen by cross-validation on the training sentences, without the held-out sentences."""


class Sentence(NamedTuple):
    """A sentence and the number of its label."""

    text: str
    label: int


def read_sentences() -> tuple[list[Sentence], list[Sentence]]:
    """Return the training sentences, and every fourth sentence as held-out data."""
    numbers = {name: number for number, name in enumerate(LABELS)}
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines]
    sentences = [Sentence(text, numbers[label]) for label, text in pairs]
    return [each for i, each in enumerate(sentences) if i % 4 != 3], sentences[3::4]


def with_new_head() -> tuple[BertForSequenceClassification, PreTrainedTokenizerBase]:
    """Return MiniLM with a randomly initialised head, and its tokenizer.

    Raises:
        HeadlightError: If MiniLM is not installed.
    """
    folder = embedded_folder()
    # transformers would warn that the head is new.
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    model = BertForSequenceClassification.from_pretrained(
        folder,
        id2label=dict(enumerate(LABELS.values())),
        label2id={label: number for number, label in enumerate(LABELS.values())},
        use_safetensors=True,
        local_files_only=True,
    )
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)


def train(
    model: BertForSequenceClassification,
    tokenizer: PreTrainedTokenizerBase,
    sentences: Sequence[Sentence],
    epochs: int = EPOCHS,
) -> list[float]:
    """Fine-tune all weights; each epoch has a new order. Set torch's seed for a repeatable run.

    Returns:
        The loss of each step.
    """
    n_steps = epochs * -(-len(sentences) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
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
def accuracy(
    model: BertForSequenceClassification,
    tokenizer: PreTrainedTokenizerBase,
    sentences: Sequence[Sentence],
) -> float:
    """Share of the sentences whose label is predicted."""
    inputs, labels = _batch(tokenizer, sentences)
    model.train(False)
    found = model(**inputs).logits.argmax(dim=-1)  # (B, 2) -> (B,)
    return (found == labels).float().mean().item()


def _batch(
    tokenizer: PreTrainedTokenizerBase, sentences: Sequence[Sentence]
) -> tuple[BatchEncoding, Tensor]:
    """Token ids, padded to the longest sentence, and labels: (B, T) and (B,)."""
    texts = [sentence.text for sentence in sentences]
    inputs = tokenizer(texts, padding=True, return_tensors="pt")
    return inputs, torch.tensor([sentence.label for sentence in sentences])


def make_folder(folder: Path) -> None:
    """Create an empty folder and check that it is writable, before the training starts.

    Raises:
        HeadlightError: If it is not empty or cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise _unwritable(folder, error) from error
    if taken:
        raise HeadlightError(
            "{folder} is not empty, and nothing in it is overwritten: name another folder.",
            folder=str(folder),
        )


def save(
    model: BertForSequenceClassification, tokenizer: PreTrainedTokenizerBase, folder: Path
) -> None:
    """Write the files that Headlight loads: configuration, safetensors and tokenizer.

    Raises:
        HeadlightError: If it cannot be written.
    """
    try:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    except (OSError, SafetensorError) as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: Exception) -> HeadlightError:
    reason = getattr(error, "strerror", None) or str(error)
    return HeadlightError(
        "The model cannot be written to {folder}: {reason}.", folder=str(folder), reason=reason
    )


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and fine-tune; print errors in words."""
    parser = argparse.ArgumentParser(prog="python -m examples.sentiment.finetune")
    parser.add_argument("--out", type=Path, required=True, help="a folder to make")
    parser.add_argument("--seed", type=int, default=0)
    # Sentences are short: on a busy machine, several threads would wait for each other.
    parser.add_argument("--threads", type=int, default=1, help="cores to use")
    options = parser.parse_args(arguments)
    if options.threads < 1:
        parser.error("--threads must be at least 1")
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    try:
        make_folder(options.out)
        run(options.out)
    except HeadlightError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def run(out: Path) -> None:
    """Train on three quarters of the sentences, measure on the others, and save."""
    model, tokenizer = with_new_head()
    training, held_out = read_sentences()
    print(f"{len(training)} sentences to train on, {len(held_out)} held out")
    print(f"before: {accuracy(model, tokenizer, held_out):.0%} of the held-out sentences right")
    train(model, tokenizer, training)
    print(f"after:  {accuracy(model, tokenizer, held_out):.0%}")
    save(model, tokenizer, out)
    print(f"Saved. In Headlight, type this into a model box: {out.resolve()}")


if __name__ == "__main__":
    sys.exit(main())
