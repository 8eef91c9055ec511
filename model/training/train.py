"""Train the from-scratch encoder: ``python -m model.training.train --corpus FOLDER --out FOLDER``.

The same command resumes an interrupted run. With ``--go-on`` a new run starts with the shipped
weights and their step number.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from model.catalogue import encoder_files
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import CONFIG
from model.errors import HeadlightError
from model.training.corpus import Corpus, load_corpus, sequences, training_files
from model.training.loop import SNAPSHOTS, Run
from model.training.measure import Accuracy, measure
from model.training.recipe import Progress, Recipe
from model.training.stop import Stop
from model.transformer.config import EncoderConfig

VALIDATION = "se_mary-shelley_frankenstein"
"""A book that is held out to measure the progress of the run."""

SAVE_EVERY = 120.0
MEASURE_EVERY = 1_000
MEASURED = 150
"""Number of sequences of the validation book, with about 1,000 masked tokens."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command and print an error message if it fails.

    Args:
        arguments: Command-line arguments. None reads ``sys.argv``.

    Returns:
        Exit status: 1 after an error.
    """
    options = _options(arguments)
    try:
        train(options)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m model.training.train", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of .txt.xz files")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--steps", type=int, default=100_000, help="of the whole run")
    parser.add_argument("--minutes", type=float, help="stop this session after so long")
    parser.add_argument("--pause-at", type=int, help="stop this session at that step")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--parts", type=int, default=1, help="of a batch, each on its own core")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--lr", type=float, default=Recipe.lr)
    parser.add_argument("--cooldown", type=int, default=Recipe.cooldown, help="steps of it")
    parser.add_argument("--go-on", action="store_true", help="begin with the weights that ship")
    return parser.parse_args(arguments)


def train(options: argparse.Namespace, config: EncoderConfig = CONFIG) -> Run:
    """Start or resume a run until its last step, its time limit or a signal.

    Args:
        options: Command-line options.
        config: Configuration of the encoder.

    Raises:
        HeadlightError: If the corpus is missing, the disk is full or the loss is not finite. The
            last checkpoint remains.
    """
    tokenizer = bert_tokenizer()
    files = training_files(options.corpus)
    kept = [file for file in files if not file.name.startswith(VALIDATION)]
    corpus = load_corpus(kept, tokenizer, options.out / "cache")
    recipe = Recipe(
        seed=options.seed,
        first=encoder_files.history().checkpoints[-1].step if options.go_on else 0,
        lr=options.lr,
        cooldown=options.cooldown,
    )
    run = Run(options.out, config, recipe, corpus, tokenizer, options.device, options.parts)
    if options.go_on and run.progress.step == 0:
        _start_from_shipped_weights(run)
    held = [file for file in files if file.name.startswith(VALIDATION)]
    book = load_corpus(held, tokenizer, options.out / "cache-validation") if held else None
    _go_on(run, options, book)
    return run


def _start_from_shipped_weights(run: Run) -> None:
    history, log = encoder_files.history(), encoder_files.run_log()
    progress = Progress(
        step=history.checkpoints[-1].step,
        tokens=history.tokens,
        seconds=history.seconds,
        epoch=log[-1].epoch + 1,  # a new order of the text
    )
    run.go_on_from(encoder_files.weights(), progress)
    shutil.copyfile(encoder_files.FOLDER / encoder_files.LOG, run.folder / encoder_files.LOG)


def _go_on(run: Run, options: argparse.Namespace, book: Corpus | None) -> None:
    stop = Stop()
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    saved = time.monotonic()
    measured: Accuracy | None = None
    smooth = 0.0
    last = min(options.steps, options.pause_at or options.steps)
    bar = tqdm(total=options.steps, initial=run.progress.step, unit="step", dynamic_ncols=True)
    with bar:
        if run.progress.step == 0:
            run.snapshot()
        while run.progress.step < last and not stop.requested and time.monotonic() < until:
            loss = run.step(options.steps)
            smooth = 0.99 * smooth + 0.01 * loss if smooth else loss
            step = run.progress.step
            if step == options.steps - run.recipe.cooldown:
                run.save("before-cooldown.pt")  # a longer run can continue from here
            if step in SNAPSHOTS:
                run.snapshot()
            if book is not None and step % MEASURE_EVERY == 0:
                measured = measure(run.model, _rows(book, run), run.mask)
                run.note(loss=smooth, valid_loss=measured.loss, top1=measured.top1)
            if time.monotonic() - saved > SAVE_EVERY:
                run.save()
                saved = time.monotonic()
            bar.update()
            bar.set_postfix(_postfix(run, smooth, measured), refresh=False)
        run.save()


def _postfix(run: Run, loss: float, measured: Accuracy | None) -> dict[str, str]:
    shown = {
        "tokens/s": f"{run.progress.tokens / max(run.progress.seconds, 1e-9):,.0f}",
        "M": f"{run.progress.tokens / 1e6:.1f}",
        "loss": f"{loss:.3f}",
    }
    if measured is not None:
        shown["held-out"] = f"{measured.top1:.1%}"
    return shown


def _rows(book: Corpus, run: Run) -> Iterator[Tensor]:
    """Fixed passages of the validation book."""
    length = 62
    for i in range(MEASURED):
        begin = i * (len(book.ids) - length) // MEASURED
        span = torch.tensor([[begin, begin + length]]).numpy()
        yield torch.from_numpy(sequences(book, span, run.cls, run.sep)[0])


if __name__ == "__main__":
    sys.exit(main())
