"""Arrays to Plotly figures, one file for each kind."""
