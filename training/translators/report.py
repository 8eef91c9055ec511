"""Report on a translator: the tables of ``weights/README.md``."""

from collections import Counter
from collections.abc import Iterable, Sequence

from model.catalogue.translation_files import ShippedTranslator, translation, translator
from model.transformer.encoder_decoder import EncoderDecoder
from training.translators.measure import aligned, answers, looks
from training.translators.sampling import untrained_phrases
from training.translators.tasks import INPUTS, Example, TranslationTask, phrase_example

SENSELESS = 1_000
MOST_MISTAKES = 40


def report(task: TranslationTask, examples: Sequence[Example] = ()) -> str:
    """The published measurements of a translator and its mistakes as Markdown.

    Without ``examples``, the mistakes are those in all held-out ones.
    """
    listed, model = translation(task.name), translator(task.name)
    right = sum(yes for _, yes in listed.patterns.values())
    parts = [
        f"{task.name}, {sum(w.numel() for w in model.parameters()):,} parameters, "
        f"{listed.seconds:,.0f} s of training",
        f"exact: {right:,} of {listed.held_out:,}, {right / listed.held_out:.2%}",
        _table(
            ("pattern", "right", "of", "share"),
            ((kind, yes, n, f"{yes / n:.1%}") for kind, (n, yes) in listed.patterns.items()),
        ),
    ]
    examples = examples or task.held_out()
    if aligned(examples):
        parts += _of_alignment(model, task, examples, listed)
        phrases = untrained_phrases(min(SENSELESS, len(examples)), "senseless")
        senseless = [phrase_example(phrase) for phrase in phrases]
        yes = len(senseless) - len(_wrong(senseless, answers(model, task, senseless)))
        parts.append(f"senseless pairs: {yes:,} of {len(senseless):,}")
    wrong = _wrong(examples, answers(model, task, examples))
    parts.append(_table(("source", "should be", "is"), wrong[:MOST_MISTAKES]))
    outside = INPUTS[task.name]["outside"]
    made = answers(model, task, [Example(source, "", "") for source in outside])
    parts.append(_table(("outside training", "is"), zip(outside, made, strict=True)))
    return "\n\n".join(parts)


def _wrong(examples: Sequence[Example], found: Sequence[str]) -> list[tuple[str, str, str]]:
    """Source, target and output of each mistake."""
    each = zip(examples, found, strict=True)
    return [(e.source, e.target, text) for e, text in each if text != e.target]


def _of_alignment(
    model: EncoderDecoder,
    task: TranslationTask,
    examples: Sequence[Example],
    listed: ShippedTranslator,
) -> list[str]:
    shares, chosen = listed.checkpoints[-1].alignment, listed.best
    names = [*(f"head {head}" for head in range(len(shares[0]) - 1)), "mean of heads"]
    rows = ((f"layer {i}", *(f"{share:.1%}" for share in row)) for i, row in enumerate(shares))
    missed, of = _missed(model, task, examples, chosen["layer"], chosen["head"])
    return [
        "largest weight on the true source word",
        _table(("", *names), rows),
        f"best: {chosen}",
        _table(("target word", "missed", "of"), ((w, n, of[w]) for w, n in missed.most_common(12))),
    ]


def _missed(
    model: EncoderDecoder,
    task: TranslationTask,
    examples: Sequence[Example],
    layer: int,
    head: int | str,
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
