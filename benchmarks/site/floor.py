"""An empty page: what any answer of this server costs, whatever it computes."""

import streamlit as st

st.text(st.text_input("Echo"))
