"""Training of the from-scratch encoder."""
