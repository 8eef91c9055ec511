"""Pretrained models: the only package that uses transformers and the model hub."""
