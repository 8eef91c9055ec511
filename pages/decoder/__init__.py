"""The parts of the Decoder page."""
