"""Analysis of captures: aggregation, comparison, labels and interventions."""
