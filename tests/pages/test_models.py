"""Models that visitors may use, and their names on every page."""

import json
from pathlib import Path

import pytest

from model import HeadlightError, LoadedModel, NotDownloadedError, load_model
from model.capture.tokens import MAX_CHARACTERS
from model.catalogue.pretrained import hub
from tests.model import checkpoints, decoder_checkpoints
from tests.pages.figures import figures, words_on
from tests.pages.visit import Visit, open_page
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


def test_an_alias_in_a_link_becomes_the_models_name(folder: Path) -> None:
    session = open_page("layers", left="scratch@0400", right=f"{folder.parent}/./tiny/")
    for side, name in {"left": "scratch@400", "right": str(folder)}.items():
        assert session.selectbox(key=side).value == session.address[side] == name
    assert "shown instead" not in words_on(session)


def test_all_aliases_load_one_model(folder: Path) -> None:
    model = loaded_models.loaded_model(str(folder))
    (folder.parent / "link").symlink_to(folder)
    for alias in (f"{folder}/", f"{folder.parent}/./tiny", f"{folder.parent}/link"):
        assert loaded_models.loaded_model(alias) is model


def test_a_step_of_thousands_of_digits_gives_a_message() -> None:
    assert "Headlight does not know" in words_on(open_page("", left="scratch@" + "1" * 4301))


PARTS = {
    "": {},
    "layers": {"part": "difference", "against": "model"},
    "heads": {"part": "tuned"},
    "positions": {"kind": "learned"},
}


def test_a_folder_is_shown_by_its_name_and_the_picker_contains_its_path(tmp_path: Path) -> None:
    ours, theirs = (
        str(checkpoints.save_head(tmp_path / place / "tiny", "bert", "sequence"))
        for place in ("one", "two")
    )
    for page, part in PARTS.items():
        session = open_page(page, text="the street", left=ours, right=theirs, **part)
        charts = " ".join(json.dumps(chart.payload) for chart in figures(session))
        tables = " ".join(str(list(table.value)) for table in session.dataframe)
        words = " ".join(each.value for each in (*session.caption, *session.markdown))
        assert str(tmp_path) not in charts + tables + words.replace("\\", "")
        assert "one/tiny" in charts and "two/tiny" in charts  # equal names include the parent
        assert session.selectbox(key="left").value == ours


def test_a_path_is_shortened_to_the_parts_that_distinguish_it(folder: Path) -> None:
    def shown(left: str, right: str) -> list[str]:
        charts = figures(open_page("", left=left, right=right))
        return [each.spec["layout"]["title"]["text"].partition(" · ")[0] for each in charts]

    assert shown("scratch", str(folder)) == ["scratch", "tiny"]
    mine = str(checkpoints.save("bert", folder.parent / "my" / "minilm"))
    assert shown(mine, "minilm") == ["my/minilm", "minilm"]


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
    for name in ("scratch", "scratch@400", "minilm", "scratch-untrained"):
        assert loaded_models.loaded_model(name).name == name


def test_the_picker_of_a_restricted_server_offers_its_list_and_refuses_other_models(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for others in (False, True):
        monkeypatch.setattr(settings, "_settings", Settings(any_model=not others))
        page = open_page("")
        help_ = " ".join(caption.help for caption in page.caption if caption.help)
        assert ("type a hub id" in help_) is not others
        assert ("This server offers no others" in help_) is others
        assert page.selectbox(key="left").proto.accept_new_options is not others
        for side in ("left", "right"):  # Explore compares readers of one text
            assert not {"phrases", "dates"} & set(page.selectbox(key=side).options)
    page = open_page("", left=str(folder), right="owner/name")
    assert "allows only the models of its list" in words_on(page)
    assert "scratch is shown instead" in words_on(page)


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


def test_the_last_checkpoint_of_a_run_opens_with_a_click(tmp_path: Path) -> None:
    for step in (90, 500):
        checkpoints.save("bert", tmp_path / "run" / f"checkpoint-{step}")
    session = open_page("", left=str(tmp_path / "run"))
    assert "is the folder of a training run" in words_on(session)
    button = session.button(key="checkpoint_left")
    assert button.label == r"Open checkpoint\-500"
    button.click().run()
    assert session.selectbox(key="left").value == str(tmp_path / "run" / "checkpoint-500")
    assert not session.exception and "training run" not in words_on(session)


def test_the_operator_can_add_a_model_to_the_list(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link may use the configured name or the model's own name."""
    alias = f"{folder.parent}/./tiny"
    monkeypatch.setattr(settings, "_settings", Settings(any_model=False, models=(alias,)))
    for name in (alias, str(folder)):
        assert open_page("", left=name).selectbox(key="left").value == str(folder)
    with pytest.raises(HeadlightError, match="is not on it"):
        loaded_models.loaded_model(f"{folder}/")


def test_a_link_to_a_translator_gives_a_message_and_the_default() -> None:
    for page in ("", "layers", "heads", "calculator"):
        session = open_page(page, left="phrases", right="dates", mode="head")
        assert "phrases reads one text and writes another" in words_on(session)
        assert "scratch is shown instead" in words_on(session)


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


def text_box(session: Visit) -> str:
    return session.text_input(key="text").value


def test_a_very_long_word_is_cut_before_it_becomes_a_cache_key(texts_read: set[str]) -> None:
    for page, mode in {"": {}, "calculator": {"mode": "head"}}.items():
        session = open_page(page, text=f"{page}endless" * 20_000, pair="b" * 100_000, **mode)
        assert "can have 20,000 characters" in words_on(session)
        assert len(text_box(session)) == MAX_CHARACTERS
    assert max(map(len, texts_read)) == MAX_CHARACTERS
    session = open_page("positions", kind="shuffle", text="ab " * 100_000)
    assert "The last 280,000 were removed" in words_on(session)
    assert len(text_box(session)) == MAX_CHARACTERS
    before = len(captures.read.cached.cache)
    with pytest.raises(HeadlightError, match="too long"):
        captures.capture("minilm", "x" * 600_000, None)
    assert len(captures.read.cached.cache) == before
    for page_sized in ("x" * MAX_CHARACTERS, "\U0001f600" * MAX_CHARACTERS):
        assert captures.capture("minilm", page_sized, page_sized).tokens


def test_the_length_limit_of_texts_is_a_setting(
    texts_read: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "_settings", Settings(characters=300))
    assert "can have 300 characters" in words_on(open_page("", text="endless" * 100))
    assert max(map(len, texts_read)) == 300
    writer = str(decoder_checkpoints.save("gpt2", tmp_path / "writer"))
    session = open_page("decoder", part="generate", model=writer, text="end " * 100)
    assert "can have 300 characters" in words_on(session)
