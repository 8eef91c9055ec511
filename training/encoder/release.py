"""Release of an encoder run: weights, checkpoints, log and measurements in ``model/weights``.

If the run continued from the shipped weights, the checkpoints before its first step are the shipped
ones, measured again on the same held-out text.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor
from tqdm import tqdm

from model.catalogue.encoder_files import FOLDER, HISTORY, LOG, Checkpoint, history
from model.catalogue.models import bert_tokenizer
from model.catalogue.quantise import restore
from model.catalogue.scratch import CONFIG, as_loaded
from model.errors import HeadlightError
from model.transformer.language_model import MaskedLanguageModel
from training.encoder.held_out import SEED, passages
from training.encoder.measure import measure, offset_shares
from training.release import (
    checkpoint_name,
    load_run,
    load_snapshots,
    sha256_of_file,
    write_weights,
)

LAST = "scratch.safetensors"
STEPS = (0, 400, 800, 1_600, 3_200, 6_400, 12_800)
"""Steps of the checkpoints that ship with the last one: heads change most between them, and they
take at most 40 MB."""


def ship(run: Path, text: Path, folder: Path = FOLDER, steps: Sequence[int] = STEPS) -> None:
    """Write all files of a release.

    Args:
        steps: Steps of the checkpoints. Steps after the end of the run are ignored.
    """
    rows = passages(text, bert_tokenizer())
    last = load_run(run)
    counts = torch.from_numpy(np.load(run / "cache" / "counts.npy"))
    first, end = last["recipe"]["first"], last["progress"]["step"]
    steps = [step for step in steps if step < end]
    kept = [step for step in steps if step < first]
    before = _shipped_before(first, folder, kept)
    snapshots = load_snapshots(run, [step for step in steps if step >= first])
    by_frequency = counts.argsort(descending=True, stable=True)
    for old in folder.glob("scratch*.safetensors"):
        if old.name not in before:
            old.unlink()
    write_weights(folder, "scratch", last["model"], snapshots, by_frequency)
    shutil.copyfile(run / LOG, folder / LOG)
    _write_history(
        {step: checkpoint_name("scratch", step) for step in (*kept, *snapshots)} | {end: LAST},
        rows,
        folder,
        measured_on=text.name.removesuffix(".txt.xz"),
        most_frequent=by_frequency[:5].tolist(),
        tokens=last["progress"]["tokens"],
        seconds=round(last["progress"]["seconds"]),
    )


def measure_again(text: Path, folder: Path = FOLDER) -> None:
    """Measure the shipped checkpoints again and write only the measurements."""
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


def _shipped_before(first: int, folder: Path, wanted: Sequence[int]) -> set[str]:
    """The shipped files of the wanted checkpoints before a run's first step."""
    if not first:
        return set()
    found = {line.step: line.file for line in history(folder).checkpoints if line.quantised}
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
        sha256=sha256_of_file(file),
        quantised=quantised,
        loss=round(accuracy.loss, 4),
        top1=round(accuracy.top1, 4),
        top5=round(accuracy.top5, 4),
        previous=shares[0],
        next=shares[1],
    )
    return checkpoint, accuracy.count
