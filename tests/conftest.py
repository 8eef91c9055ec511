"""What all tests share."""

from hypothesis import settings

# No deadline: the machine may be slow and busy. Derandomised: a run can be repeated.
settings.register_profile(
    "headlight", deadline=None, derandomize=True, database=None, max_examples=40
)
settings.load_profile("headlight")
