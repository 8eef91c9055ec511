"""The parts of the Calculator page."""
