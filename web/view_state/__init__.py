"""The view of a page: its URL, its widget values and the session state, reconciled."""
