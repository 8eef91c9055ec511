"""How the from-scratch encoder learns: text to batches, masks, the loss, the loop, what ships."""
