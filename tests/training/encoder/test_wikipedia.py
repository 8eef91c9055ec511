import lzma

import pytest

from training.encoder.corpus import sentences
from training.encoder.wikipedia import main, paragraphs

MOTTO = "The lighthouse keeper counted seventeen ships, and wrote them into her book every night."
PAGE = f"""\
MARGARET (_Light_) was a keeper’s daughter – on a coast of rocks and fog and storms.[1][2]


Early years

-   {MOTTO}

She went to school () in the village and learned, she said, “to read the sea” at first.[note 3]

  Year   Ships
  ------ -------
  1870   17

The table above | has columns, and so a line like this one with its bars is not a sentence of prose.

thumb of a lamp whose caption lost its beginning]] and so it is not kept although it ends well.

In 1870, 1871, 1872, 1873, 1874, 1875, 1876, 1877, 1878, 1879, 1880 and 1881 she counted 17, 18.


References

Whatever follows the heading of the references is a list of books and no prose of the page itself.
"""


@pytest.fixture
def folder(tmp_path):
    """Two pages, a list by name, and a held-out text."""
    pages = tmp_path / "pages"
    (pages / "A").mkdir(parents=True)
    (pages / "Margaret_Light.md").write_text(PAGE, encoding="utf-8")
    (pages / "A" / "Keeper.md").write_text(f"{MOTTO}\n\n{MOTTO}\n", encoding="utf-8")
    (pages / "List_of_keepers.md").write_text(MOTTO.replace("seventeen", "eighteen"))
    with lzma.open(tmp_path / "held.txt.xz", "wt") as held:
        held.write(" = A heading = \n\n The storm of that winter <unk> every roof of the town . \n")
    return tmp_path


def run(folder):
    pages, held, out = folder / "pages", folder / "held.txt.xz", folder / "pages.txt.xz"
    return main(["--pages", str(pages), "--held-out", str(held), "--out", str(out)])


def text(folder):
    return list(sentences(folder / "pages.txt.xz"))


def test_only_prose_is_extracted_from_a_page():
    assert list(paragraphs(PAGE)) == [
        "MARGARET (Light) was a keeper's daughter - on a coast of rocks and fog and storms.",
        'She went to school in the village and learned, she said, "to read the sea" at first.',
    ]


def test_a_paragraph_that_shares_eight_words_with_the_held_out_text_is_excluded(folder):
    page = folder / "pages" / "Storm.md"
    # WikiText has "<unk>" in place of some words: a match does not cross it.
    wanted = "A chronicle says so: that winter unroofed every roof of the town, and of the harbour."
    page.write_text(wanted)
    assert run(folder) == 0
    assert len(text(folder)) == 4
    page.write_text(f"It was, they say, THE STORM of that winter, every roof. {MOTTO}")
    for held_out, kept in (("they say", False), ("say", True)):  # eight words, or seven
        with lzma.open(folder / "held.txt.xz", "wt") as held:
            held.write(f" {held_out} the storm of that winter , every man fled . \n")
        assert run(folder) == 0
        assert any("STORM" in sentence for sentence in text(folder)) == kept


def test_pages_with_the_title_of_a_held_out_article_are_excluded(folder):
    titles = (
        ("1888 – 89 Native football team", "A/1888–89_Native_football_team", False),
        ("M @-@ 82 ( Michigan highway )", "M-82_(Michigan_highway)", False),
        ("Frank <unk>", "Frank_Keeper", False),  # any name may be meant
        ("Frank <unk>", "Frank_Keeper_the_Younger", True),
        ("<unk> <unk>", "Margaret_Storm", True),  # otherwise every title of two words would match
        ("= Sullivan = ", "Sullivan", True),  # a section heading, not a title
        ("Pokémon", "POKÉMON", False),
    )
    story = "No eight words of page {} stand in the text that measures, and yet it tells of it."
    with lzma.open(folder / "held.txt.xz", "wt") as held:
        for letter, (heading, page, _) in zip("ABCDEFG", titles, strict=True):
            (folder / "pages" / f"{page}.md").write_text(story.format(letter))
            held.write(f" \n = {heading} = \n \n Another text altogether . \n")
    assert run(folder) == 0
    found = text(folder)
    for letter, (_, page, kept) in zip("ABCDEFG", titles, strict=True):
        assert (story.format(letter) in found) == kept, page


def test_an_unreadable_page_leaves_the_previous_text(folder, capsys):
    assert run(folder) == 0
    before = text(folder)
    assert (before.count(MOTTO), len(before)) == (1, 3)  # without repetitions and lists
    assert "3 paragraphs" in capsys.readouterr().out
    (folder / "pages" / "Zero.md").symlink_to(folder / "nowhere.md")
    assert run(folder) == 1
    assert "Zero.md" in capsys.readouterr().err
    assert text(folder) == before
