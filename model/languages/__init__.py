"""What our translators learn: a small French of our own, and written dates."""
