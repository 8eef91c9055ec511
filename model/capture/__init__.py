"""What a forward pass shows: text to tokens, hooks, and the record that they fill."""
