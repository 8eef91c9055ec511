"""Surveys: every head of a model over a data set."""

from model.analysis.grammar.atlas import find_atlas
from model.analysis.survey.data import read_texts
from model.analysis.survey.heads_off import switch_off_each
from model.analysis.survey.table import quantiles, survey

__all__ = ["find_atlas", "quantiles", "read_texts", "survey", "switch_off_each"]
