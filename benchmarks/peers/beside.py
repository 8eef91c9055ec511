"""Times the product and its peers in one run: ``python -m benchmarks.peers.beside``.

The product shows the model on both sides, so one sentence repaints two overviews. Each peer shows
one.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from benchmarks.browser import Server, free_port
from benchmarks.explore import OVERVIEWS, random_bert_base
from benchmarks.peers.run import System, measure, peers, table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 32, 64, 128])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    ours, theirs = free_port(), free_port()
    base, peer_base = f"http://127.0.0.1:{ours}", f"http://127.0.0.1:{theirs}"
    command = [sys.executable, "-m"]
    with (
        TemporaryDirectory() as folder,
        Server([*command, "benchmarks.serve", str(ours)], f"{base}/api/ready"),
        Server([*command, "benchmarks.peers.serve", str(theirs)], f"{peer_base}/_stcore/health"),
    ):
        product = [
            System("Headlight", layers, f"{base}/?{urlencode({'left': m, 'right': m})}", OVERVIEWS)
            for layers, m in ((6, "minilm"), (12, random_bert_base(Path(folder))))
        ]
        print(table(measure([*peers(peer_base), *product], options.tokens, options.repeat)))


if __name__ == "__main__":
    main()
