"""Qwen 2 and 2.5 (Yang et al. 2024): Llama with biases in its projections."""

from dataclasses import replace

from model.catalogue.pretrained.families import llama

FAMILY = replace(llama.FAMILY, model_type="qwen2")
