"""The parts of the Lessons page, and the strip above every other."""
