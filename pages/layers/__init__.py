"""The parts of the Layers page."""
