"""What all figures share: colours, labels, formulas, layout."""
