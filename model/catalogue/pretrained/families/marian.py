"""Marian (Junczys-Dowmunt et al. 2018), OPUS-MT's models: BART with sinusoids."""

from dataclasses import replace

from model.catalogue.pretrained.families import bart

FAMILY = replace(bart.FAMILY, model_type="marian", tokenizers="marian")
