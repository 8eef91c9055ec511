"""The Model page: the whole model as one picture."""
