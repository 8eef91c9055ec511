"""Everything about HTTP and Streamlit that is not one page."""
