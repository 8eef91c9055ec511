"""Models by name: ours and others', each loaded so that it can be looked at."""
