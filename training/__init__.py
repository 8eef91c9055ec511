"""Training of our models: the encoder, the translators, the sentiment updates."""
