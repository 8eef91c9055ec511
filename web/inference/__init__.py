"""The queue of forward passes, and the operations that wait in it."""
