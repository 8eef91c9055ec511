"""Runs the benchmarks of the product; the peers need their own environment."""

import sys

from benchmarks import classroom, explore, first_visit, hostile, lecture, survey

if __name__ == "__main__":
    for benchmark in (explore, first_visit, survey, classroom, lecture, hostile):
        benchmark.main(sys.argv[1:])
    print("\nThe peers: see benchmarks/peers/README.md")
