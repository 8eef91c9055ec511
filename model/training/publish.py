"""Release of an encoder run: ``python -m model.training.publish --run FOLDER --text FILE``.

Writes the weights (16 bits), the quantised checkpoints, the log and the measurements of every
checkpoint on the whole held-out text into ``model/weights``. If the run continued from the shipped
weights, the checkpoints before its first step are the shipped ones, measured again. Without
``--run``, the command only measures the shipped checkpoints again.
"""

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save
from torch import Tensor
from tqdm import tqdm

from model.catalogue.encoder_files import FOLDER, HISTORY, LOG, Checkpoint, history
from model.catalogue.models import bert_tokenizer
from model.catalogue.quantise import quantise, restore
from model.catalogue.scratch import CONFIG, as_loaded
from model.errors import HeadlightError
from model.training.held_out import SEED, passages
from model.training.measure import measure, offset_shares
from model.transformer.language_model import MaskedLanguageModel

LAST = "scratch.safetensors"
STEPS = (0, 400, 800, 1_600, 3_200, 6_400, 12_800)
"""Steps of the checkpoints that ship with the last one: heads change most between them, and they
take at most 40 MB."""


def ship(run: Path, text: Path, folder: Path = FOLDER, steps: Sequence[int] = STEPS) -> None:
    """Write all files of a release.

    Args:
        run: Folder of the run.
        text: Held-out text.
        folder: Folder of the release.
        steps: Steps of the checkpoints. Steps after the end of the run are ignored.

    Raises:
        HeadlightError: If the run or the text cannot be read.
    """
    rows = passages(text, bert_tokenizer())
    try:
        last = torch.load(run / "state.pt", map_location="cpu", weights_only=True)
        counts = torch.from_numpy(np.load(run / "cache" / "counts.npy"))
        first = last["recipe"]["first"]
        steps = [step for step in steps if step < last["progress"]["step"]]
        before = _shipped_before(first, folder, steps)
        snapshots = {
            step: load_file(run / "snapshots" / f"step-{step:07d}.safetensors")
            for step in steps
            if step >= first
        }
    except OSError as error:
        raise HeadlightError(
            "{run} does not contain a run with these checkpoints: {reason}",
            run=str(run),
            reason=str(error),
        ) from error
    by_frequency = counts.argsort(descending=True, stable=True)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("scratch*.safetensors"):
        if old.name not in before:
            old.unlink()
    for step, state in snapshots.items():
        packed = quantise({name: tensor.float() for name, tensor in state.items()}, by_frequency)
        (folder / _named(step)).write_bytes(save(packed))
    trained = {name: tensor.half().contiguous() for name, tensor in last["model"].items()}
    (folder / LAST).write_bytes(save(trained))
    shutil.copyfile(run / LOG, folder / LOG)
    kept = [step for step in steps if step < first]
    files = {step: _named(step) for step in (*kept, *snapshots)}
    _write_history(
        files | {last["progress"]["step"]: LAST},
        rows,
        folder,
        measured_on=text.name.removesuffix(".txt.xz"),
        most_frequent=by_frequency[:5].tolist(),
        tokens=last["progress"]["tokens"],
        seconds=round(last["progress"]["seconds"]),
    )


def measure_again(text: Path, folder: Path = FOLDER) -> None:
    """Measure the shipped checkpoints again and write only the measurements.

    Args:
        text: Held-out text.
        folder: Folder of the release.

    Raises:
        HeadlightError: If the text or the history of the release cannot be read.
    """
    listed = history(folder)
    _write_history(
        {line.step: line.file for line in listed.checkpoints},
        passages(text, bert_tokenizer()),
        folder,
        measured_on=text.name.removesuffix(".txt.xz"),
        most_frequent=listed.most_frequent,
        tokens=listed.tokens,
        seconds=listed.seconds,
    )


def _named(step: int) -> str:
    return f"scratch-{step:06d}.safetensors"


def _shipped_before(first: int, folder: Path, steps: Sequence[int]) -> set[str]:
    """The shipped files of the checkpoints before a step.

    Raises:
        HeadlightError: If a wanted checkpoint did not ship.
    """
    if not first:
        return set()
    found = {line.step: line.file for line in history(folder).checkpoints if line.quantised}
    wanted = [step for step in steps if step < first]
    missing = [step for step in wanted if step not in found]
    if missing:
        raise HeadlightError(
            "The run continued from step {first}. These earlier checkpoints were not published: "
            "{steps}. Choose published ones.",
            first=first,
            steps=", ".join(map(str, missing)),
        )
    return {found[step] for step in wanted}


def _write_history(
    files: dict[int, str], rows: Sequence[Tensor], folder: Path, **description: Any
) -> None:
    """Measure checkpoints on the same passages and write the history of the release."""
    lines = []
    masked = 0
    for step, name in tqdm(files.items(), unit="checkpoint"):
        line, masked = _described(step, folder / name, rows)
        lines.append(asdict(line))
    listed = {**description, "passages": len(rows), "masked": masked, "checkpoints": lines}
    (folder / HISTORY).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


def _described(step: int, file: Path, rows: Sequence[Tensor]) -> tuple[Checkpoint, int]:
    """An entry of the history, and the number of masked tokens that it is measured on."""
    tokenizer = bert_tokenizer()
    quantised = file.name != LAST
    state = load_file(file)
    model = MaskedLanguageModel(CONFIG)
    model.load_state_dict(
        restore(state) if quantised else {name: tensor.float() for name, tensor in state.items()}
    )
    mask_id = int(tokenizer.token_to_id("[MASK]") or 0)
    accuracy = measure(model, iter(rows), mask_id, SEED)
    loaded = as_loaded(file.stem, model.encoder, tokenizer)
    shares = [np.round(share, 4).tolist() for share in offset_shares(loaded, rows, (-1, 1))]
    checkpoint = Checkpoint(
        step=step,
        file=file.name,
        sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        quantised=quantised,
        loss=round(accuracy.loss, 4),
        top1=round(accuracy.top1, 4),
        top5=round(accuracy.top5, 4),
        previous=shares[0],
        next=shares[1],
    )
    return checkpoint, accuracy.count


def main(arguments: list[str] | None = None) -> int:
    """Run the command and print an error message if it fails.

    Args:
        arguments: Command-line arguments. None reads ``sys.argv``.

    Returns:
        Exit status: 1 after an error.
    """
    parser = argparse.ArgumentParser(prog="python -m model.training.publish", description=__doc__)
    parser.add_argument("--run", type=Path, help="folder of the run; what ships unless given")
    parser.add_argument("--text", type=Path, required=True, help="held-out text")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)  # more threads are slower on short sequences
    try:
        if options.run is None:
            measure_again(options.text)
        else:
            ship(options.run, options.text)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
