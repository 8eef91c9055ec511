"""Which pages there are. Streamlit runs this on every visit, then the page itself."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from pages.lessons.above import leave, strip
from web import components, settings
from web.language import _
from web.rooms.api.messages import classroom_messages
from web.server import index_page, static_files, warmup
from web.view_state import address, reconnect, widget_fields
from web.widgets import present


def main() -> None:
    """Draw what surrounds every page, and the page."""
    # The icon before the pages: else the browser is told to fetch theirs from another server.
    st.set_page_config(
        page_title="Headlight", page_icon=str(index_page.ASSETS / "icon.svg"), layout="wide"
    )
    st.logo(static_files.LOGO_URL, size="large")
    page = st.navigation(_pages(), position="top")
    st.set_page_config(page_title=_("{page} · Headlight").format(page=page.title))
    if st.session_state.get("page") != page.url_path:
        leave(st.session_state.get("page"))
        st.session_state["page"] = page.url_path
        address.forget()
    # Before the page: in one place on all of them, so that it lasts from page to page.
    if settings.now().rooms:
        components.classroom(classroom_messages())
    lesson = st.container(key="lesson")
    notice = _wait_for_models()
    from web.inference.compute_queue_ui import show_queue  # it imports torch, which is there now

    with show_queue(notice):
        with lesson:
            strip(page.url_path)
        page.run()
    widget_fields.draw_acknowledgement()
    components.history(page.url_path, address.entry())
    components.reconnect(reconnect.words(), address.write_again)
    components.menu()
    present.tools()


def _pages() -> list[StreamlitPage]:
    def at(folder: str, title: str, icon: str) -> StreamlitPage:
        file, icon = f"{folder}/page.py", f":material/{icon}:"
        if folder == "explore":
            return st.Page(file, title=title, icon=icon, default=True)
        return st.Page(file, title=title, icon=icon, url_path=folder)

    return [
        at("explore", _("Explore"), "visibility"),
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
    """Say what the page waits for; returns the place for what it may wait for later."""
    # Always, so that what comes after it keeps its place: a browser that outlived the server has a
    # page there, and what was done in it meanwhile.
    notice = st.empty()
    if warmup.finished.is_set():
        return notice
    notice.info(
        _("Headlight has just started and is loading its models: some seconds, this once."),
        icon=":material/hourglass_top:",
    )
    warmup.start()
    warmup.finished.wait()
    notice.empty()
    return notice


with reconnect.drawn_before_acting():
    main()
