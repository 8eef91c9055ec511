"""Report on a translator.

It has the tables of ``weights/README.md``: accuracy by pattern, alignment of each cross-attention
head, all mistakes, and the output for inputs outside the training.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from model.catalogue.translation_files import translation, translator
from model.languages.sampling import untrained_phrases
from model.transformer.encoder_decoder import EncoderDecoder
from training.translators.examples import OUTSIDE
from training.translators.measure import alignment, answers, looks
from training.translators.release import aligned, best, by_pattern
from training.translators.tasks import Example, Task, phrase_example

SENSELESS = 1_000
MOST_MISTAKES = 40


def report(task: Task, step: int | None = None, examples: Sequence[Example] = ()) -> str:
    """All measurements of a translator as Markdown.

    Args:
        step: Step of a checkpoint. None uses the last one.
        examples: Examples to measure on. Without examples, all held-out ones.
    """
    listed = translation(task.name)
    model = translator(task.name, step)
    examples = examples or task.held_out()
    found = answers(model, task, examples)
    patterns = by_pattern(examples, found)
    right = sum(count for _, count in patterns.values())
    parts = [
        f"{task.name}, {sum(w.numel() for w in model.parameters()):,} parameters, "
        f"{listed.seconds:,.0f} s of training",
        f"exact: {right:,} of {len(examples):,}, {right / len(examples):.2%}",
        _table(
            ("pattern", "right", "of", "share"),
            ((kind, yes, n, f"{yes / n:.1%}") for kind, (n, yes) in patterns.items()),
        ),
    ]
    if aligned(examples):
        parts += _of_alignment(model, task, examples)
        senseless = [
            phrase_example(phrase) for phrase in untrained_phrases(SENSELESS, "senseless")
        ][: len(examples)]
        yes = sum(
            text == example.target
            for text, example in zip(answers(model, task, senseless), senseless, strict=True)
        )
        parts.append(f"senseless pairs: {yes:,} of {len(senseless):,}")
    wrong = [
        (example.source, example.target, text)
        for example, text in zip(examples, found, strict=True)
        if text != example.target
    ]
    parts.append(_table(("source", "should be", "is"), wrong[:MOST_MISTAKES]))
    outside = [Example(source, "", "") for source in OUTSIDE[task.name]]
    made = answers(model, task, outside)
    parts.append(_table(("outside training", "is"), zip(OUTSIDE[task.name], made, strict=True)))
    return "\n\n".join(parts)


def _of_alignment(model: EncoderDecoder, task: Task, examples: Sequence[Example]) -> list[str]:
    shares, words = alignment(model, task, examples)
    chosen = best(model, task, examples)
    names = [*(f"head {head}" for head in range(shares.shape[1] - 1)), "mean of heads"]
    rows = ((f"layer {i}", *(f"{share:.1%}" for share in row)) for i, row in enumerate(shares))
    missed, of = _missed(model, task, examples, chosen["layer"], chosen["head"])
    return [
        f"largest weight on the true source word, of {words:,} target words",
        _table(("", *names), rows),
        f"best: {chosen}",
        _table(
            ("target word", "missed", "of"),
            ((word, count, of[word]) for word, count in missed.most_common(12)),
        ),
    ]


def _missed(
    model: EncoderDecoder, task: Task, examples: Sequence[Example], layer: int, head: int | str
) -> tuple[Counter[str], Counter[str]]:
    """Target words with their number of wrong alignments, and with their number of occurrences."""
    missed: Counter[str] = Counter()
    of: Counter[str] = Counter()
    for example, place, weights in looks(model, task, examples):
        word = task.target.encode(example.target).tokens[1 + place]  # 1 + skips <s>
        row = weights[layer].mean(0) if isinstance(head, str) else weights[layer, head]
        of[word] += 1
        missed[word] += int(row.argmax() not in example.sources[place])
    return missed, of


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
