"""Runs the benchmarks of the product; the peers need their own environment."""

from benchmarks import classroom, explore, first_visit, hostile, lecture, survey

if __name__ == "__main__":
    explore.main()
    first_visit.main()
    survey.main()
    classroom.main()
    lecture.main()
    hostile.main()
    print("\nThe peers: see benchmarks/peers/README.md")
