"""Put a translator into the repository: ``python -m model.training.translation.publish``.

With ``--run FOLDER`` it writes weights in 16 bits, checkpoints in 8, tokenizers, and what each of
them is measured to do on every held-out example, into ``model/weights``. With ``--task``
instead of ``--run``, what ships already is measured anew.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save
from tqdm import tqdm

from model.catalogue.quantise import quantise
from model.catalogue.shipped import FOLDER
from model.catalogue.translation_files import Moment, translation, unpacked
from model.errors import HeadlightError
from model.training.translation.examples import EXAMPLES
from model.training.translation.measure import alignment, answers, loss_of
from model.training.translation.tasks import TASKS, Example, Task, task_named
from model.transformer.encoder_decoder import EncoderDecoder


def ship(run: Path, folder: Path = FOLDER, held_out: Sequence[Example] | None = None) -> None:
    """Write everything that ships.

    Args:
        run: Folder of the run.
        folder: Where to.
        held_out: What to measure on; everything that was held out unless given.

    Raises:
        HeadlightError: If the run cannot be read.
    """
    try:
        state = torch.load(run / "state.pt", weights_only=True)
        task = task_named(state["recipe"]["task"])
        last = state["progress"]["step"]
        steps = [step for step in task.checkpoints if step < last]
        files = {step: run / "snapshots" / f"step-{step:06d}.safetensors" for step in steps}
        for old in folder.glob(f"{task.name}*"):
            old.unlink()
        for step, file in files.items():
            packed = quantise({name: w.float() for name, w in load_file(file).items()})
            (folder / f"{task.name}-{step:06d}.safetensors").write_bytes(save(packed))
    except OSError as error:
        raise HeadlightError(
            "{run} is no run with these checkpoints: {reason}", run=str(run), reason=str(error)
        ) from error
    trained = {name: tensor.half().contiguous() for name, tensor in state["model"].items()}
    (folder / f"{task.name}.safetensors").write_bytes(save(trained))
    names = {step: f"{task.name}-{step:06d}.safetensors" for step in steps}
    told = {**state["config"], "recipe": state["recipe"]}
    told["seconds"] = round(state["progress"]["seconds"])
    _describe(task, {**names, last: f"{task.name}.safetensors"}, folder, told, held_out)


def measure_again(task: Task, folder: Path = FOLDER) -> None:
    """Measure what ships anew, and write the figures; all else stays as it is.

    Raises:
        HeadlightError: If the list of what ships cannot be read.
    """
    listed = translation(task.name, folder)
    told: dict[str, Any] = {"encoder": asdict(listed.encoder), "decoder": asdict(listed.decoder)}
    told |= {"recipe": listed.recipe, "seconds": listed.seconds}
    _describe(task, {line.step: line.file for line in listed.checkpoints}, folder, told)


def _describe(
    task: Task,
    files: dict[int, str],
    folder: Path,
    told: dict[str, Any],
    held_out: Sequence[Example] | None = None,
) -> None:
    """Measure files of weights, by step, and write it down beside them, with the tokenizers."""
    examples = task.held_out() if held_out is None else held_out
    cutting = {}
    for side, tokenizer in (("source", task.source), ("target", task.target)):
        file = folder / f"{task.name}-{side}.json"
        file.write_text(tokenizer.to_str(pretty=True) + "\n", encoding="utf-8")
        cutting[file.name] = hashlib.sha256(file.read_bytes()).hexdigest()
    model = EncoderDecoder(task.sizes.encoder, task.sizes.decoder).eval()
    moments, found = [], list[str]()
    for step, name in tqdm(files.items(), unit="checkpoint"):
        model.load_state_dict(unpacked(load_file(folder / name)))
        found = answers(model, task, examples)
        moments.append(asdict(_moment(model, task, examples, found, step, folder / name)))
    listed = {
        "task": task.name,
        **told,
        "tokenizers": cutting,
        "held_out": len(examples),
        "held_out_sha256": sha256_of(examples),
        "patterns": by_pattern(examples, found),
        "best": best(model, task, examples),
        "examples": EXAMPLES[task.name],
        "checkpoints": moments,
    }
    text = json.dumps(listed, indent=1, ensure_ascii=False)
    (folder / f"{task.name}.json").write_text(text + "\n", encoding="utf-8")


def _moment(
    model: EncoderDecoder,
    task: Task,
    examples: Sequence[Example],
    found: Sequence[str],
    step: int,
    file: Path,
) -> Moment:
    right = sum(text == example.target for example, text in zip(examples, found, strict=True))
    shares = alignment(model, task, examples)[0].round(4).tolist() if aligned(examples) else []
    return Moment(
        step=step,
        file=file.name,
        sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        loss=round(loss_of(model, task, examples), 5),
        exact=right / len(examples),
        alignment=shares,
    )


def sha256_of(examples: Sequence[Example]) -> str:
    """Of examples, a line each, source and target with a tab between."""
    lines = "".join(f"{example.source}\t{example.target}\n" for example in examples)
    return hashlib.sha256(lines.encode()).hexdigest()


def by_pattern(examples: Sequence[Example], found: Sequence[str]) -> dict[str, tuple[int, int]]:
    """How many examples there are of each pattern, and how many of them came out right."""
    counts = Counter(example.pattern for example in examples)
    right = Counter(e.pattern for e, text in zip(examples, found, strict=True) if text == e.target)
    return {pattern: (counts[pattern], right[pattern]) for pattern in sorted(counts)}


def aligned(examples: Sequence[Example]) -> bool:
    """Whether it is known of these which source word a target word stands for."""
    return any(example.sources for example in examples)


def best(model: EncoderDecoder, task: Task, examples: Sequence[Example]) -> dict[str, Any]:
    """What of the cross-attention points at the source word most often.

    A layer's mean over heads, or a head: chosen on every other example, measured on the others.
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


def main(arguments: list[str] | None = None) -> int:
    """Read the command line, and say in words what went wrong if something did."""
    parser = argparse.ArgumentParser(
        prog="python -m model.training.translation.publish", description=__doc__
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--run", type=Path, help="folder of the run")
    what.add_argument("--task", choices=sorted(TASKS), help="measure what ships anew")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    try:
        if options.run is None:
            measure_again(task_named(options.task))
        else:
            ship(options.run)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
