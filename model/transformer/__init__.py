"""The Transformer from scratch: attention, positions, encoder, decoder, generation."""
