"""Figures for a paper: vectors in millimetres that state where their numbers come from."""
