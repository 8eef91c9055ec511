"""Atlases: every head of a model measured over a treebank."""
