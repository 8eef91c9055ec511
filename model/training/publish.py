"""Put a run into the repository: ``python -m model.training.publish --run FOLDER --text FILE``.

Writes the weights (16 bits), the checkpoints on the way (fewer bits), the run's log, and for every
checkpoint what it is measured to do on the held-out text, into ``model/weights``. Of a run that
went on from the weights that ship, checkpoints before its first step are those that ship already.
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

from model.catalogue.models import bert_tokenizer
from model.catalogue.quantise import quantise, restore
from model.catalogue.scratch import CONFIG, as_loaded
from model.catalogue.shipped import FOLDER, HISTORY, LOG, Checkpoint, history
from model.errors import HeadlightError
from model.training.evaluate import SEED, offset_shares, passages
from model.training.measure import measure
from model.transformer.language_model import MaskedLanguageModel

PASSAGES = 500
LINES = 200
STEPS = (0, 400, 800, 1_600, 3_200, 6_400, 12_800)
"""Checkpoints that ship beside the last one, as far as a run got: where heads change most, and 40
MB at most."""


def ship(run: Path, text: Path, folder: Path = FOLDER, steps: Sequence[int] = STEPS) -> None:
    """Write everything that ships.

    Raises:
        HeadlightError: If the run or the text cannot be read.
    """
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
            "{run} is no run with these checkpoints: {reason}", run=str(run), reason=str(error)
        ) from error
    by_frequency = counts.argsort(descending=True, stable=True)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("scratch*.safetensors"):
        if old.name not in {checkpoint.file for checkpoint in before}:
            old.unlink()
    lines = []
    for step, state in tqdm(snapshots.items(), unit="checkpoint"):
        packed = quantise({name: tensor.float() for name, tensor in state.items()}, by_frequency)
        file = folder / f"scratch-{step:06d}.safetensors"
        file.write_bytes(save(packed))
        lines.append(_described(step, file, restore(packed), text, quantised=True))
    trained = {name: tensor.half().contiguous() for name, tensor in last["model"].items()}
    file = folder / "scratch.safetensors"
    file.write_bytes(save(trained))
    full = {name: tensor.float() for name, tensor in trained.items()}
    lines.append(_described(last["progress"]["step"], file, full, text, quantised=False))
    listed = {
        "measured_on": text.name.removesuffix(".txt.xz"),
        "masked": lines[0][1],
        "most_frequent": by_frequency[:5].tolist(),
        "tokens": last["progress"]["tokens"],
        "seconds": round(last["progress"]["seconds"]),
        "checkpoints": [asdict(line) for line in (*before, *(line for line, _ in lines))],
    }
    (folder / HISTORY).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(run / LOG, folder / LOG)


def _shipped_before(first: int, folder: Path, steps: Sequence[int]) -> list[Checkpoint]:
    """The checkpoints before a step that are already there, each as it was described.

    Raises:
        HeadlightError: If one of the steps wanted is not among them.
    """
    if not first:
        return []
    found = [line for line in history(folder).checkpoints if line.quantised and line.step < first]
    wanted = [step for step in steps if step < first]
    missing = [step for step in wanted if step not in {line.step for line in found}]
    if missing:
        raise HeadlightError(
            "The run went on from step {first}, and of the checkpoints before it {steps} did not "
            "ship: choose among those that did.",
            first=first,
            steps=", ".join(map(str, missing)),
        )
    return [line for line in found if line.step in wanted]


def _described(
    step: int, file: Path, state: dict[str, Tensor], text: Path, *, quantised: bool
) -> tuple[Checkpoint, int]:
    """A line of the history, and how many masked tokens its figures are of."""
    tokenizer = bert_tokenizer()
    model = MaskedLanguageModel(CONFIG)
    model.load_state_dict(state)
    mask_id = int(tokenizer.token_to_id("[MASK]") or 0)
    accuracy = measure(model, iter(passages(text, tokenizer, PASSAGES)), mask_id, SEED)
    loaded = as_loaded(file.stem, model.encoder, tokenizer)
    shares: list[Any] = [
        np.round(offset_shares(loaded, text, offset, LINES), 4).tolist() for offset in (-1, 1)
    ]
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
    """Read the command line, and say in words what went wrong if something did."""
    parser = argparse.ArgumentParser(prog="python -m model.training.publish", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--text", type=Path, required=True, help="held-out text")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)  # sequences are short: more threads would wait for one another
    try:
        ship(options.run, options.text)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
