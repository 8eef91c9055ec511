"""Which head follows which grammatical relation, over a treebank."""
