"""Example programs for Headlight."""
