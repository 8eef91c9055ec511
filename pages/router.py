"""The router, which Streamlit runs first on every rerun; it runs the page."""

from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from lessons.active_lesson import strip
from rooms.api.messages import classroom_messages
from web import components, settings
from web.language import _, in_words, plain
from web.server import index_page, static_files, warmup
from web.view_state import address, examples, reconnect, widget_fields
from web.widgets import present
from web.widgets.streamlit_words import streamlit_words


def main() -> None:
    """Draw the elements of every page, and the page."""
    # The icon comes before the pages: otherwise the browser requests their icons from elsewhere.
    st.set_page_config(
        page_title="Headlight", page_icon=str(index_page.ASSETS / "icon.svg"), layout="wide"
    )
    st.logo(static_files.LOGO_URL, size="large")
    page = st.navigation(_pages(), position="top")
    st.set_page_config(page_title=_("{page} · Headlight").format(page=page.title))
    if st.session_state.get("page") != page.url_path:
        examples.put_back()
        st.session_state["page"] = page.url_path
        address.forget()
    # Before the page, at the same position on all pages, so that the browser keeps the element.
    if settings.now().rooms:
        components.classroom({"words": classroom_messages()})
    # page.css shows it if a component's script is lost.
    lost = _("Parts of this page could not be loaded. Reload the page.")
    with st.container(key="lost_parts"):
        st.html(f'<p class="headlight-broken" role="alert">{escape(lost)}</p>')
    lesson = st.container(key="lesson")
    notice = _wait_for_models()
    # These import torch, which is loaded now.
    from model import HeadlightError
    from web.inference.compute_queue_ui import show_queue

    with show_queue(notice):
        with lesson:
            strip(page.url_path)
        try:
            page.run()
        except HeadlightError as error:  # such as damaged weights, which no widget can correct
            st.error(plain(in_words(error)))
    widget_fields.draw_acknowledgement()
    components.history({"page": page.url_path, "entry": address.entry()})
    components.reconnect(reconnect.words(), on_reconnected=reconnect.write_again)
    components.menu({"menu": _("Menu"), "words": streamlit_words()})
    present.tools()


def _pages() -> list[StreamlitPage]:
    def at(path: str, title: str, icon: str, **more: Any) -> StreamlitPage:
        # Streamlit adds pages/ to sys.path: its folder would hide the package of that name.
        folder = {"model": "picture", "lessons": "course"}.get(path, path)
        file, icon = f"{folder}/page.py", f":material/{icon}:"
        if path == "explore":
            return st.Page(file, title=title, icon=icon, default=True)
        return st.Page(file, title=title, icon=icon, url_path=path, **more)

    return [
        at("explore", _("Explore"), "visibility"),
        at("model", _("Model"), "account_tree", visibility="hidden"),  # opened from Explore
        at("layers", _("Layers"), "layers"),
        at("heads", _("Heads"), "hub"),
        at("decoder", _("Decoder"), "change_history"),
        at("calculator", _("Calculator"), "calculate"),
        at("positions", _("Positions"), "straighten"),
        at("lessons", _("Lessons"), "school"),
        *([at("classroom", _("Classroom"), "groups")] if settings.now().rooms else []),
        at("about", _("About"), "info"),
    ]


def _wait_for_models() -> DeltaGenerator:
    """Wait for the models with a notice; return the placeholder for later notices."""
    # Always drawn, so that later elements keep their position. After a restart of the server, the
    # browser may still show a page, with input that was not sent yet.
    notice = st.empty()
    if warmup.finished.is_set():
        return notice
    notice.info(
        _("Headlight is loading its models. This takes a few seconds."),
        icon=":material/hourglass_top:",
    )
    warmup.start()
    warmup.finished.wait()
    notice.empty()
    return notice


with reconnect.drawn_before_acting():
    main()
