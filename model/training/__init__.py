"""How the from-scratch encoder learns: text to batches, masking, the language head, the loop."""
