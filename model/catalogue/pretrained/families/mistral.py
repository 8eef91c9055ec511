"""Mistral (Jiang et al. 2023): Llama with a sliding window in its mask."""

from dataclasses import replace

from model.catalogue.pretrained.families import llama

FAMILY = replace(llama.FAMILY, model_type="mistral")
