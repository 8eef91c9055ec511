"""The parts of the Positions page."""
