"""The built-in MiniLM, fine-tuned to tell praise from complaint."""
