"""Training of the from-scratch encoder: corpus, masks, loss, loop, evaluation, release."""
