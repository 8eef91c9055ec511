"""Grammatical relations that heads follow, measured over a treebank."""
