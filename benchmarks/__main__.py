"""Runs the benchmarks of the product; the peers need their own environment."""

from benchmarks import (
    calculator,
    capture,
    classroom,
    decoder,
    decoding,
    explore,
    first_visit,
    generating,
    layers,
    lecture,
    measures,
    model,
    passes,
    positions,
    queueing,
    server,
    survey,
    writing,
)

if __name__ == "__main__":
    capture.main(seconds=10)
    explore.main()
    first_visit.main()
    layers.main()
    model.main()
    decoder.main()
    calculator.main()
    positions.main()
    measures.main()
    decoding.main()
    generating.main(seconds=10)
    writing.main()
    passes.main()
    survey.main()
    server.main()
    classroom.main()
    lecture.main()
    queueing.main()
    print("\nThe peers: see benchmarks/peers/README.md")
