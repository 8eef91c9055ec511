"""Models by name: our own and pretrained ones, each loaded with hooks on its attention."""
