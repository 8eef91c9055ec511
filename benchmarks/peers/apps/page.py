"""The smallest Streamlit page around one view: type a sentence, see its attention.

The URL selects the view: ``?view=bertviz&layers=12``. Without a view, the page only prints the
sentence, which is the cost of a rerun that draws nothing (the floor).
"""

import html

import streamlit as st

from benchmarks.peers.views import VIEWS

st.set_page_config(layout="wide")  # BertViz is 970 pixels wide
sentence = st.text_input("Sentence", key="sentence")
st.text(sentence)

view = VIEWS.get(st.query_params.get("view", ""))
if sentence and view:
    drawn = view(sentence, int(st.query_params.get("layers", "6")))
    # The hidden line contains the sentence of the frame, for the benchmark. With a fixed height the
    # peers need not measure their content.
    st.iframe(f'<p id="sentence" hidden>{html.escape(sentence)}</p>{drawn}', height=900)
