"""A calculation as cards, for the screen and for paper."""
