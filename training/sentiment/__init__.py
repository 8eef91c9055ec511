"""Fine-tuning of the built-in MiniLM to distinguish praise from complaint."""
