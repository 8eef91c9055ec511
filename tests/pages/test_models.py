"""Models that visitors may use, and their names on every page."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model import HeadlightError, LoadedModel, NotDownloadedError, load_model
from model.capture.tokens import MAX_CHARACTERS
from model.catalogue.pretrained import hub
from tests.model import checkpoints
from tests.pages.conftest import first_visit
from tests.pages.figures import figures
from web import settings
from web.cache import captures, loaded_models
from web.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a tiny model."""
    return checkpoints.save("bert", tmp_path / "tiny")


@pytest.fixture
def for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that offers only listed models."""
    monkeypatch.setattr(settings, "_settings", Settings(any_model=False))


def visit(page: str = "", **address: str) -> AppTest:
    session = first_visit(page)
    session.query_params.update(address)
    session.run()
    assert not session.exception
    return session


def messages_on(session: AppTest) -> str:
    boxes = (*session.error, *session.warning, *session.info)
    return " ".join(box.value.replace("\\", "") for box in boxes)


# -- aliases -------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["", "layers", "heads"])
def test_an_alias_in_a_link_becomes_the_models_name(page: str, folder: Path) -> None:
    session = visit(page, left="scratch@0400", right=f"{folder.parent}/./tiny/")
    assert session.selectbox(key="left").value == "scratch@400"
    assert session.selectbox(key="right").value == str(folder)
    assert session.query_params["left"] == "scratch@400"
    assert session.query_params["right"] == str(folder)
    assert "shown instead" not in messages_on(session)


def test_all_aliases_load_one_model(folder: Path) -> None:
    model = loaded_models.loaded_model(str(folder))
    (folder.parent / "link").symlink_to(folder)
    for alias in (f"{folder}/", f"{folder.parent}/./tiny", f"{folder.parent}/link"):
        assert loaded_models.loaded_model(alias) is model


def test_a_step_of_thousands_of_digits_gives_a_message() -> None:
    session = visit(left="scratch@" + "1" * 4301)
    assert "Headlight does not know" in messages_on(session)


# -- names of folders ----------------------------------------------------------------------------


def titles(session: AppTest) -> list[str]:
    layouts = [chart.spec["layout"] for chart in figures(session)]
    return [layout["title"]["text"] for layout in layouts]


PARTS = {
    "": {},
    "layers": {"part": "difference", "against": "model"},
    "heads": {"part": "tuned"},
    "positions": {"kind": "learned"},
}


@pytest.mark.parametrize("page", PARTS)
def test_a_folder_is_shown_by_its_name_and_the_picker_contains_its_path(
    page: str, tmp_path: Path
) -> None:
    ours, theirs = (
        str(checkpoints.save_head(tmp_path / place / "tiny", "bert", "sequence"))
        for place in ("one", "two")
    )
    session = visit(page, text="the street", left=ours, right=theirs, **PARTS[page])
    charts = " ".join(json.dumps(chart.payload) for chart in figures(session))
    tables = " ".join(str(list(table.value)) for table in session.dataframe)
    words = " ".join(each.value for each in (*session.caption, *session.markdown))
    assert str(tmp_path) not in charts + tables + words.replace("\\", "")
    assert "one/tiny" in charts and "two/tiny" in charts  # equal names include the parent folder
    assert session.selectbox(key="left").value == ours


def test_a_path_is_shortened_to_the_parts_that_distinguish_it(tmp_path: Path) -> None:
    tiny = str(checkpoints.save("bert", tmp_path / "tiny"))
    assert titles(visit(left="scratch", right=tiny))[1].startswith("tiny · ")
    mine = str(checkpoints.save("bert", tmp_path / "my" / "minilm"))
    shown = [title.partition(" · ")[0] for title in titles(visit(left=mine, right="minilm"))]
    assert shown == ["my/minilm", "minilm"]


# -- restricted servers --------------------------------------------------------------------------


@pytest.mark.usefixtures("for_others")
def test_visitors_can_use_listed_models() -> None:
    for name in ("scratch", "scratch@400", "minilm", "scratch-untrained"):
        assert loaded_models.loaded_model(name).name == name


@pytest.mark.usefixtures("for_others")
def test_error_messages_do_not_reveal_existing_folders(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("isdir", "isfile", "realpath"):
        monkeypatch.setattr(f"model.catalogue.names.os.path.{module}", lambda path: 1 / 0)
    answers = set()
    names = [str(folder), f"{folder}/", f"{folder}-not-there", "/root", "owner/name", "../x"]
    for name in names:
        with pytest.raises(HeadlightError) as error:
            loaded_models.loaded_model(name)
        assert not isinstance(error.value, NotDownloadedError)
        answers.add(str(error.value).replace(name, "NAME"))
    assert len(answers) == 1


@pytest.mark.usefixtures("for_others")
def test_a_refused_model_gives_a_message_and_the_default(folder: Path) -> None:
    session = visit(left=str(folder), right="owner/name")
    assert "allows only the models of its list" in messages_on(session)
    assert "scratch is shown instead" in messages_on(session)


@pytest.mark.parametrize("others", [False, True])
def test_a_picker_explains_which_models_are_allowed(
    others: bool, request: pytest.FixtureRequest
) -> None:
    if others:
        request.getfixturevalue("for_others")
    page = visit()
    help_ = [caption.help for caption in page.caption if caption.help]
    assert any("type a hub id" in messages_on for messages_on in help_) is not others
    assert any("This server offers no others" in messages_on for messages_on in help_) is others
    assert page.selectbox(key="left").proto.accept_new_options is not others


def test_visitors_of_a_restricted_server_cannot_download(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_there(name: str, **options: object) -> LoadedModel:
        if name != "bert-base-uncased":
            return load_model(name)
        raise NotDownloadedError("{name} is not on this machine.", name=name)

    monkeypatch.setattr(loaded_models, "load_reader", not_there)
    monkeypatch.setattr(hub, "download", lambda *texts_read: 1 / 0)
    assert visit(right="bert-base-uncased").button(key="download_right")
    monkeypatch.setattr(settings, "_settings", Settings(any_model=False))
    session = visit(right="bert-base-uncased")
    assert not [button for button in session.button if button.key == "download_right"]
    assert "visitors may not download it" in messages_on(session)
    monkeypatch.setattr(settings, "_settings", Settings(any_model=True, downloads=False))
    assert "visitors may not download it" in messages_on(visit(right="bert-base-uncased"))


def test_the_last_checkpoint_of_a_run_opens_with_a_click(tmp_path: Path) -> None:
    for step in (90, 500):
        checkpoints.save("bert", tmp_path / "run" / f"checkpoint-{step}")
    session = visit(left=str(tmp_path / "run"))
    assert "is the folder of a training run" in messages_on(session)
    button = session.button(key="checkpoint_left")
    assert button.label == r"Open checkpoint\-500"
    button.click().run()
    assert session.selectbox(key="left").value == str(tmp_path / "run" / "checkpoint-500")
    assert not session.exception and "training run" not in messages_on(session)


def test_the_operator_can_add_a_model_to_the_list(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link may use the configured name or the model's own name."""
    alias = f"{folder.parent}/./tiny"
    monkeypatch.setattr(settings, "_settings", Settings(any_model=False, models=(alias,)))
    for name in (alias, str(folder)):
        assert visit(left=name).selectbox(key="left").value == str(folder)
    with pytest.raises(HeadlightError, match="is not on it"):
        loaded_models.loaded_model(f"{folder}/")


# -- texts ---------------------------------------------------------------------------------------


@pytest.fixture
def texts_read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every text that a model reads."""
    texts: set[str] = set()
    attend = LoadedModel.attend

    def noting(self: LoadedModel, text: str, text_pair: str | None = None) -> object:
        texts.update({text, text_pair or ""})
        return attend(self, text, text_pair)

    monkeypatch.setattr(LoadedModel, "attend", noting)
    return texts


@pytest.mark.parametrize("page", ["", "layers", "heads", "calculator"])
def test_a_very_long_word_is_cut_before_it_becomes_a_cache_key(
    page: str, texts_read: set[str]
) -> None:
    mode = {"mode": "head"} if page == "calculator" else {}
    session = visit(page, text=f"{page}endless" * 20_000, pair="b" * 100_000, **mode)
    assert max(map(len, texts_read)) == MAX_CHARACTERS
    assert "can have 20,000 characters" in messages_on(session)
    assert len(session.text_input(key="text").value) == MAX_CHARACTERS


def test_a_pasted_very_long_word_is_cut(texts_read: set[str]) -> None:
    session = visit()
    session.text_input(key="text").set_value("pasted" * 200_000).run()
    assert max(map(len, texts_read)) == MAX_CHARACTERS
    assert "The last 1,180,000 were removed" in messages_on(session)
    assert len(session.text_input(key="text").value) == MAX_CHARACTERS


def test_the_shuffle_test_cuts_its_sentence() -> None:
    session = visit("positions", kind="shuffle", text="ab " * 100_000)
    assert "The last 280,000 were removed" in messages_on(session)
    assert len(session.text_input(key="text").value) == MAX_CHARACTERS


def test_the_length_limit_of_texts_is_a_setting(
    texts_read: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_settings", Settings(characters=300))
    assert "can have 300 characters" in messages_on(visit(text="endless" * 100))
    assert max(map(len, texts_read)) == 300
    assert "can have 300 characters" in messages_on(
        visit("decoder", part="generate", text="end " * 100)
    )


def test_a_text_that_the_pages_did_not_cut_is_not_cached() -> None:
    before = len(captures.read.cached.cache)
    with pytest.raises(HeadlightError, match="too long"):
        captures.capture("minilm", "x" * 600_000, None)
    assert len(captures.read.cached.cache) == before
    for page_sized in ("x" * MAX_CHARACTERS, "\U0001f600" * MAX_CHARACTERS):
        assert captures.capture("minilm", page_sized, page_sized).tokens


# -- translators ---------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["", "layers", "heads", "calculator"])
def test_a_link_to_a_translator_gives_a_message_and_the_default(page: str) -> None:
    session = visit(page, left="phrases", right="dates", mode="head")
    assert "phrases reads one text and writes another" in messages_on(session)
    assert "scratch is shown instead" in messages_on(session)


def test_the_pickers_of_encoders_do_not_offer_translators() -> None:
    for side in ("left", "right"):
        assert not {"phrases", "dates"} & set(visit().selectbox(key=side).options)
