"""Training the translators: phrases to French, written dates to ISO."""
