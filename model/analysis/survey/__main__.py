"""Measures every head of a model over a data set.

    python -m model.analysis.survey --model NAME --data FILE --out FILE

FILE.csv or FILE.parquet: a row for each text and head. FILE.json: an atlas, the mean of every
measure; without --out, it is saved where the Heads page finds it. An interrupted survey resumes.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from model.analysis.grammar.atlas import own_file, save_atlas
from model.analysis.survey import table
from model.analysis.survey.data import COLUMN, read_texts
from model.analysis.survey.heads_off import EFFECTS
from model.analysis.survey.spread import in_parts, load, numbers, over_ray
from model.catalogue.model_size import fingerprint
from model.catalogue.placement import Device, Dtype
from model.errors import HeadlightError


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. Errors are printed in words."""
    parser = argparse.ArgumentParser(
        prog="python -m model.analysis.survey",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", required=True, help="name, hub id or folder")
    parser.add_argument(
        "--data", type=Path, required=True, help=".txt, .csv, .tsv, .jsonl or .conllu"
    )
    parser.add_argument("--column", default=COLUMN, help="column of the texts in a table")
    parser.add_argument("--out", type=Path, help=".csv, .parquet or .json")
    parser.add_argument("--measures", help="names with commas; default: all")
    parser.add_argument("--off", choices=EFFECTS, help="switch off each head: effect on this")
    parser.add_argument("--words", nargs="+", default=[], help="for probability and difference")
    parser.add_argument("--max-tokens", type=int, help="most tokens of a text")
    parser.add_argument("--batch-size", type=int, default=8, help="texts in one forward pass")
    parser.add_argument(
        "--origin", action="store_true", help="begin a CSV file with a comment on its origin"
    )
    parser.add_argument("--device", choices=get_args(Device), default="cpu")
    parser.add_argument("--dtype", choices=get_args(Dtype), default="float32")
    parser.add_argument(
        "--ray", action="store_true", help="compute in tasks of Ray: here, or at RAY_ADDRESS"
    )
    options = parser.parse_args(arguments)
    try:
        out = _run(options)
    except HeadlightError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's answer
        return 1
    print(out)  # noqa: T201
    return 0


def _run(options: argparse.Namespace) -> Path:
    model = load(options.model, options.device, options.dtype)
    out: Path = options.out or own_file(model)
    ending = out.suffix
    if ending not in (".csv", ".parquet", ".json"):
        raise HeadlightError(
            "Headlight does not know the ending of {out}. Choose .csv, .parquet or .json.",
            out=str(out),
        )
    if ending == ".json" and (options.off or options.measures):
        raise HeadlightError("An atlas has all measures. Leave out --off and --measures.")
    if options.out is None:
        out.parent.mkdir(parents=True, exist_ok=True)
    texts = read_texts(options.data, options.column)
    if options.off:
        columns: Sequence[str] = ("unchanged", "off")
    else:
        names = options.measures.split(",") if options.measures else None
        columns = table.applicable(model, names)
    origin = {
        "model": " ".join(model.origin[key] for key in ("weights_sha256", "device", "dtype")),
        "texts": hashlib.sha256("\0".join(texts).encode()).hexdigest(),
        "columns": ",".join(columns),
        "off": " ".join([options.off or "", *options.words]),
        "max_tokens": str(options.max_tokens),
    }
    part = out.with_name(f"{out.name}.part")
    shape = (len(columns), model.n_layers, model.n_heads)
    spread = partial(over_ray, device=options.device) if options.ray else map
    values = in_parts(partial(numbers, options, columns), texts, part, origin, shape, spread)
    left_out = table.characters_left_out(model, texts, options.max_tokens)
    tables = table.frames(values, texts, columns, left_out)
    stated = table.origin_of(model, data=options.data.name, off=options.off, words=options.words)
    if ending == ".json":
        provenance = {
            "model": model.name,
            "model_sha256": fingerprint(model.module),
            "corpus": options.data.name,
            "sentences": len(texts),
            "words": sum(len(text.split()) for text in texts),
        }
        save_atlas(out, provenance, dict(zip(columns, table.means(values), strict=True)))
    elif ending == ".csv":
        with out.open("w", encoding="utf-8", newline="") as file:
            if options.origin:
                file.write(f"# {json.dumps(stated)}\n")
            table.write_csv(tables, file)
    else:
        table.write_parquet(tables, out, stated)
    del values, tables  # Windows deletes no file that is open
    part.unlink()
    return out


if __name__ == "__main__":
    sys.exit(main())
