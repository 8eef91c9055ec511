"""Marian (Junczys-Dowmunt et al. 2018), of which OPUS-MT's translators are: BART with sinusoids."""

from dataclasses import replace

from model.catalogue.pretrained.families import bart

FAMILY = replace(bart.FAMILY, model_type="marian", tokenizers="marian")
