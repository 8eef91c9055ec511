"""Languages of the translators: a small English-French grammar, and written dates."""
