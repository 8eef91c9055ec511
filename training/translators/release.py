"""Release of a translator: weights, checkpoints, tokenizers, measurements."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from tqdm import tqdm

from model.catalogue.encoder_files import FOLDER, unpacked
from model.catalogue.translation_files import TranslatorCheckpoint, translation
from model.transformer.encoder_decoder import EncoderDecoder
from training import release as files_of
from training.release import sha256_of_file
from training.translators.measure import aligned, alignment, answers, loss_of
from training.translators.tasks import INPUTS, Example, TranslationTask, task_named


def ship(run: Path, folder: Path = FOLDER, held_out: Sequence[Example] | None = None) -> None:
    """Write all files of a release, measured on all held-out examples or (tests) on some."""
    state = files_of.load_run(run)
    task = task_named(state["recipe"]["task"])
    last = state["progress"]["step"]
    snapshots = files_of.load_snapshots(run, [step for step in task.checkpoints if step < last])
    for old in folder.glob(f"{task.name}*"):
        old.unlink()
    files_of.write_weights(folder, task.name, state["model"], snapshots)
    names = {step: files_of.checkpoint_name(task.name, step) for step in snapshots}
    description = {**state["config"], "recipe": state["recipe"]}
    description["seconds"] = round(state["progress"]["seconds"])
    _describe(task, {**names, last: f"{task.name}.safetensors"}, folder, description, held_out)


def measure_again(task: TranslationTask, folder: Path = FOLDER) -> None:
    """Measure the shipped checkpoints again and write only the measurements."""
    listed = translation(task.name, folder)
    described = ("encoder", "decoder", "recipe", "seconds")
    description = {name: value for name, value in asdict(listed).items() if name in described}
    _describe(task, {line.step: line.file for line in listed.checkpoints}, folder, description)


def _describe(
    task: TranslationTask,
    files: dict[int, str],
    folder: Path,
    description: dict[str, Any],
    held_out: Sequence[Example] | None = None,
) -> None:
    """Measure checkpoints, and write the tokenizers and the description of the release."""
    examples = task.held_out() if held_out is None else held_out
    cutting = {}
    for side, tokenizer in (("source", task.source), ("target", task.target)):
        file = folder / f"{task.name}-{side}.json"
        file.write_text(tokenizer.to_str(pretty=True) + "\n", encoding="utf-8")
        cutting[file.name] = sha256_of_file(file)
    model = EncoderDecoder(task.sizes.encoder, task.sizes.decoder).eval()
    moments, found = [], list[str]()
    for step, name in tqdm(files.items(), unit="checkpoint"):
        model.load_state_dict(unpacked(load_file(folder / name)))
        found = answers(model, task, examples)
        right = sum(text == each.target for each, text in zip(examples, found, strict=True))
        moment = TranslatorCheckpoint(
            step=step,
            file=name,
            sha256=sha256_of_file(folder / name),
            loss=round(loss_of(model, task, examples), 5),
            exact=right / len(examples),
            alignment=alignment(model, task, examples)[0].round(4).tolist(),
        )
        moments.append(asdict(moment))
    listed = {
        "task": task.name,
        **description,
        "tokenizers": cutting,
        "held_out": len(examples),
        "held_out_sha256": sha256_of(examples),
        "patterns": by_pattern(examples, found),
        "best": best(model, task, examples),
        "examples": INPUTS[task.name]["examples"],
        "checkpoints": moments,
    }
    text = json.dumps(listed, indent=1, ensure_ascii=False)
    (folder / f"{task.name}.json").write_text(text + "\n", encoding="utf-8")


def sha256_of(examples: Sequence[Example]) -> str:
    """SHA-256 of examples, one per line with a tab between source and target."""
    lines = "".join(f"{example.source}\t{example.target}\n" for example in examples)
    return hashlib.sha256(lines.encode()).hexdigest()


def by_pattern(examples: Sequence[Example], found: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Number of examples and of correct outputs for each pattern."""
    counts = Counter(example.pattern for example in examples)
    right = Counter(e.pattern for e, text in zip(examples, found, strict=True) if text == e.target)
    return {pattern: (counts[pattern], right[pattern]) for pattern in sorted(counts)}


def best(
    model: EncoderDecoder, task: TranslationTask, examples: Sequence[Example]
) -> dict[str, Any]:
    """The head, or mean over heads of a layer, whose cross-attention gives the best alignment.

    It is selected on every other example and measured on the others; empty without alignments.
    """
    if not aligned(examples):
        return {}
    chosen, _ = alignment(model, task, examples[::2])
    measured, words = alignment(model, task, examples[1::2])
    layer, head = divmod(int(chosen.argmax()), chosen.shape[1])
    return {
        "layer": layer,
        "head": "mean" if head == chosen.shape[1] - 1 else head,
        "chosen": round(float(chosen[layer, head]), 4),
        "measured": round(float(measured[layer, head]), 4),
        "words": words,
    }
