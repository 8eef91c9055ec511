"""Train the encoder: ``python -m training.encoder.train --corpus FOLDER --out FOLDER``.

The same command resumes an interrupted run. With ``--go-on`` a new run starts with the shipped
weights and their step number.
"""

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor

from model.catalogue import encoder_files
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import CONFIG
from training import loop
from training.command import run_command
from training.encoder.corpus import Corpus, load_corpus, sequences, training_files
from training.encoder.measure import measure
from training.encoder.run import EncoderRun
from training.loop import Progress
from training.recipe import EncoderRecipe

SNAPSHOTS = (0, *(100 * 2**k for k in range(12)))
"""Steps with a snapshot of the weights, which show how heads develop."""

VALIDATION = "se_mary-shelley_frankenstein"
"""A book that is held out to measure the progress of the run."""

MEASURE_EVERY = 1_000
MEASURED = 150
"""Number of sequences of the validation book, with about 1,000 masked tokens."""


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m training.encoder.train", description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of .txt.xz files")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--steps", type=int, default=100_000, help="of the whole run")
    parser.add_argument("--pause-at", type=int, help="stop this session at that step")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--parts", type=int, default=1, help="of a batch, each on its own core")
    parser.add_argument("--seed", type=int, default=EncoderRecipe.seed)
    parser.add_argument("--lr", type=float, default=EncoderRecipe.lr)
    parser.add_argument("--cooldown", type=int, default=EncoderRecipe.cooldown, help="steps of it")
    parser.add_argument("--go-on", action="store_true", help="begin with the weights that ship")
    return run_command(train, parser, arguments)


def train(options: argparse.Namespace) -> None:
    """Start or resume a run until its last step, a pause or a signal."""
    tokenizer = bert_tokenizer()
    files = training_files(options.corpus)
    kept = [file for file in files if not file.name.startswith(VALIDATION)]
    corpus = load_corpus(kept, tokenizer, options.out / "cache")
    recipe = EncoderRecipe(
        seed=options.seed,
        first=encoder_files.history().checkpoints[-1].step if options.go_on else 0,
        lr=options.lr,
        cooldown=options.cooldown,
    )
    run = EncoderRun(
        options.out, CONFIG, recipe, corpus, tokenizer, options.steps, options.device, options.parts
    )
    if options.go_on and run.progress.step == 0:
        _start_from_shipped_weights(run)
    held = [file for file in files if file.name.startswith(VALIDATION)]
    book = load_corpus(held, tokenizer, options.out / "cache-validation") if held else None
    loop.train(
        run,
        options.steps,
        SNAPSHOTS,
        _watch(run, book),
        pause_at=options.pause_at,
    )


def _start_from_shipped_weights(run: EncoderRun) -> None:
    history, log = encoder_files.history(), encoder_files.run_log()
    progress = Progress(
        step=history.checkpoints[-1].step,
        tokens=history.tokens,
        seconds=history.seconds,
        epoch=log[-1].epoch + 1,  # a new order of the text
    )
    run.go_on_from(encoder_files.weights(), progress)
    shutil.copyfile(encoder_files.FOLDER / encoder_files.LOG, run.folder / encoder_files.LOG)


def _watch(run: EncoderRun, book: Corpus | None) -> Callable[[float], dict[str, str]]:
    """Make the function that measures a run on the validation book while it trains."""
    smooth, shown = 0.0, {}

    def after_step(loss: float) -> dict[str, str]:
        nonlocal smooth
        smooth = 0.99 * smooth + 0.01 * loss if smooth else loss
        step, tokens = run.progress.step, run.progress.tokens
        if step == run.steps - run.recipe.cooldown:
            run.save("before-cooldown.pt")  # a longer run can continue from here
        if book is not None and step % MEASURE_EVERY == 0:
            measured = measure(run.model, _rows(book, run), run.mask)
            run.note(loss=smooth, valid_loss=measured.loss, top1=measured.top1)
            shown["held-out"] = f"{measured.top1:.1%}"
        speed = f"{tokens / max(run.progress.seconds, 1e-9):,.0f}"
        shown.update({"tokens/s": speed, "M": f"{tokens / 1e6:.1f}", "loss": f"{smooth:.3f}"})
        return shown

    return after_step


def _rows(book: Corpus, run: EncoderRun) -> Iterator[Tensor]:
    """Fixed passages of the validation book."""
    length = 62
    for i in range(MEASURED):
        begin = i * (len(book.ids) - length) // MEASURED
        span = torch.tensor([[begin, begin + length]]).numpy()
        yield torch.from_numpy(sequences(book, span, run.cls, run.sep)[0])


if __name__ == "__main__":
    sys.exit(main())
