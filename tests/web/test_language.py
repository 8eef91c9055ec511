"""The language of a run, of a request, and of what is made later."""

from contextvars import Context
from types import SimpleNamespace

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from model.errors import HeadlightError, Items
from web import language
from web.language import (
    COOKIE,
    _,
    first_known,
    in_words,
    later,
    plain,
    sentences,
    unmarked,
    use_outside,
)
from web.server.request_language import RequestLanguageMiddleware

BUSY = {
    "en": "The server is busy. Try again in a moment.",
    "zh": language.catalogue("zh").gettext("The server is busy. Try again in a moment."),
}


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [
        (("zh-CN",), "zh"),
        ((None, "fr", "zh-Hant-TW", "en"), "zh"),
        (("en-GB", "zh"), "en"),
        (("../zh", "", None), "en"),
    ],
)
def test_the_first_translated_language_is_spoken(wanted, spoken):
    assert first_known(*wanted) == spoken


@pytest.mark.parametrize(
    ("cookie", "accepted", "spoken"),
    [
        ("zh", "en", "zh"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en", "zh-CN", "en"),
        ("", "", "en"),
    ],
)
def test_a_request_is_answered_in_the_chosen_or_the_browsers_language(cookie, accepted, spoken):
    async def busy(scope, receive, send) -> None:
        response = PlainTextResponse(_("The server is busy. Try again in a moment."))
        await response(scope, receive, send)

    client = TestClient(RequestLanguageMiddleware(busy), cookies={COOKIE: cookie})
    assert client.get("/", headers={"accept-language": accepted}).text == BUSY[spoken]


def test_a_file_made_after_the_run_has_the_language_of_the_run(monkeypatch):
    monkeypatch.setattr(language, "current_run", lambda: "a run")
    monkeypatch.setattr(language, "_current", SimpleNamespace(run="a run", language="zh"))
    make = later(lambda: _("The server is busy. Try again in a moment."))
    monkeypatch.setattr(language, "current_run", lambda: None)
    assert Context().run(make) == BUSY["zh"]
    assert _("The server is busy. Try again in a moment.") == BUSY["en"]


def test_sentences_and_items_are_joined_as_the_language_writes_them():
    assert sentences("One.", "", "Two.") == "One. Two."
    assert sentences("第一句。", "第二句。", "Third.") == "第一句。第二句。Third."
    error = HeadlightError(
        "The model {model} does not know {words}.", model="dates", words=Items("ab")
    )
    assert str(error) == in_words(error) == "The model dates does not know a, b."
    chinese = Context()
    chinese.run(use_outside, "zh")
    assert chinese.run(in_words, error) == "模型 dates 不认识 a、b。"


def test_text_for_markdown_is_the_text_again_without_its_marks():
    for text in ("a *b* **c**: [CLS]", "C:\\d_e", "&#58;"):
        assert unmarked(f"**{plain(text)}.**") == f"{text}."
