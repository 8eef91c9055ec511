"""Rooms for a class: what its pages show, and what the server answers them."""
