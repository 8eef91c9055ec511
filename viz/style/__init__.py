"""Style of all figures: colours, labels, formulas, layout."""
