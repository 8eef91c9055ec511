"""The Transformer from scratch: attention, positions, the encoder; nothing of any one model."""
