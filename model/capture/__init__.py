"""Captures of forward passes: tokenisation, hooks, and the arrays that they record."""
