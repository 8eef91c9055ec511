"""The one room that knows transformers and the model hub."""
