"""Release of an encoder run: weights, checkpoints, log and measurements in ``model/weights``.

The checkpoints before a continued run's first step are the shipped ones, measured again.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor
from tqdm import tqdm

from model.catalogue.encoder_files import FOLDER, HISTORY, LOG, Checkpoint, history, unpacked
from model.catalogue.models import bert_tokenizer
from model.catalogue.scratch import CONFIG, as_loaded
from model.errors import HeadlightError
from model.transformer.language_model import MaskedLanguageModel
from training import release as files_of
from training.encoder.measure import SEED, measure, offset_shares, passages

LAST = "scratch.safetensors"
STEPS = (0, 400, 800, 1_600, 3_200, 6_400, 12_800)
"""Steps of the checkpoints that ship with the last one: heads change most between them, and they
take at most 40 MB."""


def ship(run: Path, text: Path, folder: Path = FOLDER, steps: Sequence[int] = STEPS) -> None:
    """Write all files of a release, with the checkpoints of the steps up to the run's last."""
    rows = passages(text, bert_tokenizer())
    last = files_of.load_run(run)
    counts = torch.from_numpy(np.load(run / "cache" / "counts.npy"))
    first, end = last["recipe"]["first"], last["progress"]["step"]
    steps = [step for step in steps if step < end]
    kept = [step for step in steps if step < first]
    before = _shipped_before(first, folder, kept)
    snapshots = files_of.load_snapshots(run, [step for step in steps if step >= first])
    by_frequency = counts.argsort(descending=True, stable=True)
    for old in folder.glob("scratch*.safetensors"):
        if old.name not in before:
            old.unlink()
    files_of.write_weights(folder, "scratch", last["model"], snapshots, by_frequency)
    shutil.copyfile(run / LOG, folder / LOG)
    files = {step: files_of.checkpoint_name("scratch", step) for step in (*kept, *snapshots)}
    spent = last["progress"]["tokens"], round(last["progress"]["seconds"])
    _write_history({**files, end: LAST}, text, rows, folder, by_frequency[:5].tolist(), *spent)


def measure_again(text: Path, folder: Path = FOLDER) -> None:
    """Measure the shipped checkpoints again and write only the measurements."""
    listed = history(folder)
    files = {line.step: line.file for line in listed.checkpoints}
    rows, known = passages(text, bert_tokenizer()), (listed.tokens, listed.seconds)
    _write_history(files, text, rows, folder, listed.most_frequent, *known)


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
    files: dict[int, str],
    text: Path,
    rows: Sequence[Tensor],
    folder: Path,
    most_frequent: Sequence[int],
    tokens: int,
    seconds: float,
) -> None:
    """Measure checkpoints on the same passages and write the history of the release."""
    tokenizer, model = bert_tokenizer(), MaskedLanguageModel(CONFIG)
    loaded, lines, masked = as_loaded("measured", model.encoder, tokenizer), [], 0
    for step, name in tqdm(files.items(), unit="checkpoint"):
        model.load_state_dict(unpacked(load_file(folder / name)))
        accuracy = measure(model, iter(rows), tokenizer.get_vocab()["[MASK]"], SEED)
        previous, following = offset_shares(loaded, rows, (-1, 1))
        line = Checkpoint(
            step=step,
            file=name,
            sha256=files_of.sha256_of_file(folder / name),
            quantised=name != LAST,
            loss=round(accuracy.loss, 4),
            top1=round(accuracy.top1, 4),
            top5=round(accuracy.top5, 4),
            previous=np.round(previous, 4).tolist(),
            next=np.round(following, 4).tolist(),
        )
        lines.append(asdict(line))
        masked = accuracy.count
    listed = {
        "measured_on": text.name.removesuffix(".txt.xz"),
        "most_frequent": most_frequent,
        "tokens": tokens,
        "seconds": seconds,
        "passages": len(rows),
        "masked": masked,
        "checkpoints": lines,
    }
    (folder / HISTORY).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
