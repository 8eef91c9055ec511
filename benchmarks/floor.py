"""An empty page: the cost of any response of this server."""

import streamlit as st

st.text(st.text_input("Echo"))
