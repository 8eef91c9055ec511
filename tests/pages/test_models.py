"""Models that visitors may use, and their names on every page."""

import json
from pathlib import Path

import pytest

from model import HeadlightError, LoadedModel, NotDownloadedError, load_model
from model.capture.tokens import MAX_CHARACTERS
from model.catalogue.pretrained import hub
from tests.model import checkpoints
from tests.pages.figures import figures, view, words_on
from tests.pages.visit import open_page
from web import settings
from web.cache import captures, loaded_models
from web.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return checkpoints.save("bert", tmp_path / "tiny")


def test_all_aliases_load_one_model_and_a_link_gets_its_name(folder: Path) -> None:
    model = loaded_models.loaded_model(str(folder))
    (folder.parent / "link").symlink_to(folder)
    for alias in (f"{folder}/", f"{folder.parent}/./tiny", f"{folder.parent}/link"):
        assert loaded_models.loaded_model(alias) is model
    session = open_page("layers", left="scratch@" + "1" * 4301, right=f"{folder}/")
    assert "Headlight does not know" in words_on(session)
    assert session.selectbox(key="right").value == session.address["right"] == str(folder)


def test_a_folder_is_shown_by_its_name_and_the_picker_contains_its_path(tmp_path: Path) -> None:
    ours, theirs = (
        str(checkpoints.save_head(tmp_path / place / "tiny", "bert", "sequence"))
        for place in ("one", "two")
    )
    for page, part in (("", {}), ("heads", {"part": "tuned"})):
        session = open_page(page, text="the street", left=ours, right=theirs, **part)
        charts = " ".join(json.dumps(chart.payload) for chart in figures(session))
        charts += "" if page else json.dumps(view(session)[0])
        tables = " ".join(str(list(table.value)) for table in session.table)
        assert str(tmp_path) not in charts + tables + words_on(session)
        assert "one/tiny" in charts and "two/tiny" in charts  # equal names include the parent
        assert session.selectbox(key="left").value == ours
    mine = str(checkpoints.save("bert", tmp_path / "my" / "minilm"))
    subjects = view(open_page("", left=mine, right="minilm"))[0]["subjects"]
    assert [each["model"] for each in subjects] == ["my/minilm", "minilm"]


def test_error_messages_do_not_reveal_existing_folders(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_settings", Settings(any_model=False))
    page = open_page("", left=str(folder), right="owner/name")
    assert not page.selectbox(key="left").proto.accept_new_options
    assert "allows only the models of its list" in words_on(page)
    assert "scratch is shown instead" in words_on(page)
    for module in ("isdir", "isfile", "realpath"):
        monkeypatch.setattr(f"model.catalogue.names.os.path.{module}", lambda path: 1 / 0)
    answers = set()
    for name in (str(folder), f"{folder}/", f"{folder}-not-there", "/root", "owner/name", "../x"):
        with pytest.raises(HeadlightError) as error:
            loaded_models.loaded_model(name)
        assert not isinstance(error.value, NotDownloadedError)
        answers.add(str(error.value).replace(name, "NAME"))
    assert len(answers) == 1
    assert loaded_models.loaded_model("scratch@400").name == "scratch@400"


def test_visitors_of_a_restricted_server_cannot_download(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_there(name: str, **options: object) -> LoadedModel:
        if name != "bert-base-uncased":
            return load_model(name)
        raise NotDownloadedError("{name} is not on this machine.", name=name)

    monkeypatch.setattr(loaded_models, "load_reader", not_there)
    monkeypatch.setattr(hub, "download", lambda *texts_read: 1 / 0)
    assert open_page("", right="bert-base-uncased").button(key="download_right")
    for restricted in (Settings(any_model=False), Settings(any_model=True, downloads=False)):
        monkeypatch.setattr(settings, "_settings", restricted)
        session = open_page("", right="bert-base-uncased")
        assert "download_right" not in [button.key for button in session.button]
        assert "visitors may not download it" in words_on(session)


def test_the_operator_can_add_a_model_to_the_list(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alias = f"{folder.parent}/./tiny"
    monkeypatch.setattr(settings, "_settings", Settings(any_model=False, models=(alias,)))
    for name in (alias, str(folder)):
        assert open_page("", left=name).selectbox(key="left").value == str(folder)
    with pytest.raises(HeadlightError, match="is not on it"):
        loaded_models.loaded_model(f"{folder}/")


def test_a_link_to_a_translator_gives_a_message_and_the_default() -> None:
    for page, shown in (("", "scratch"), ("calculator", "minilm")):
        session = open_page(page, left="phrases", right="dates", mode="head")
        assert "phrases reads one text and writes another" in words_on(session)
        assert f"{shown} is shown instead" in words_on(session)
    assert not {"phrases", "dates"} & set(open_page("").selectbox(key="left").options)


def test_a_very_long_text_is_cut_to_the_limit_of_the_settings_before_a_model_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: set[int] = set()
    attend = LoadedModel.attend

    def noting(self: LoadedModel, text: str, text_pair: str | None = None) -> object:
        read.update({len(text), len(text_pair or "")})
        return attend(self, text, text_pair)

    monkeypatch.setattr(LoadedModel, "attend", noting)
    for limit in (MAX_CHARACTERS, 300):
        monkeypatch.setattr(settings, "_settings", Settings(characters=limit))
        for page, mode in {"": {}, "calculator": {"mode": "head"}}.items():
            session = open_page(page, text=f"{page}endless" * 20_000, pair="b" * 100_000, **mode)
            assert f"can have {limit:,} characters" in words_on(session)
            assert len(session.text_input(key="text").value) == limit
        assert max(read) == limit
        read.clear()
    before = len(captures.read.cached.cache)
    with pytest.raises(HeadlightError, match="too long"):
        captures.capture("minilm", "x" * 600_000, None)
    assert len(captures.read.cached.cache) == before
