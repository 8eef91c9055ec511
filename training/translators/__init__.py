"""Training of the translators: English phrases to French, written dates to ISO 8601."""
