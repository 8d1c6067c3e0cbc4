"""`writer chapters`, `writer search` and `writer notes`, as scripts and authors use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine

from writer.manuscript.chapter_facts import day_goal, read_facts
from writer.manuscript.project import open_manuscript
from writer.manuscript.summaries import Summary, write_summary

ONE = "# The harbour\n\nMara came home.\n\nThe lamp was lit.\n"
TWO = "# The lamp\n\nNobody had oil for the lamp.\n"


@pytest.fixture
def book(cli: CommandLine, novel: Path) -> Path:
    cli("chapters", "rename", novel, 1, "The harbour")
    cli("chapters", "add", novel, "The lamp")
    (novel / "chapters/01-the-harbour.md").write_text(ONE)
    (novel / "chapters/02-the-lamp.md").write_text(TWO)
    return novel


def titles(folder: Path) -> list[str]:
    return [chapter.title for chapter in open_manuscript(folder).chapters]


def texts(folder: Path) -> list[str]:
    return [(folder / chapter.path).read_text() for chapter in open_manuscript(folder).chapters]


def test_chapters_are_arranged(cli: CommandLine, book: Path) -> None:
    assert titles(book) == ["The harbour", "The lamp"]
    assert cli("chapters", "add", book, "Before", "--after", 0, "--part", "One").code == 0
    assert cli("chapters", "move", book, 3, "--after", 1).code == 0
    assert cli("chapters", "rename", book, 2, "No oil").code == 0
    assert titles(book) == ["Before", "No oil", "The harbour"]
    ran = cli("chapters", "split", book, 3, "--before", "The lamp was", "--title", "Light")
    assert ran.out.splitlines()[-1] == "  4. Light"
    assert cli("chapters", "split", book, 3, "--line", 1).sentence.startswith("There is nothing to split off")
    assert cli("chapters", "merge", book, 3, 4).code == 0
    assert texts(book)[2] == "# The harbour\n\nMara came home.\n\n## Light\n\nThe lamp was lit.\n"


def test_the_list_tells_status_words_goals_and_parts(cli: CommandLine, book: Path) -> None:
    cli("chapters", "status", book, 1, "revised")
    cli("chapters", "goal", book, 3000, "--chapter", 1)
    cli("chapters", "goal", book, 1000)
    cli("chapters", "move", book, 2, "--part", "Two")
    first, second = cli("chapters", "list", book, "--json").json["chapters"]
    assert first == {
        "number": 1,
        "title": "The harbour",
        "path": "chapters/01-the-harbour.md",
        "part": "",
        "status": "revised",
        "goal": 3000,
        "words": 9,
    }
    assert (second["part"], second["words"]) == ("Two", 8)
    out = cli("chapters", "list", book).out
    assert "1. revised " in out
    assert "9 of 3,000 words  The harbour" in out
    assert "Two\n" in out
    assert out.splitlines()[-1].startswith("17 words in all, ")
    assert out.splitlines()[-1].endswith("of 1,000.")
    cli("chapters", "status", book, 1, "none")
    cli("chapters", "goal", book, 0)
    assert read_facts(book)["chapters/01-the-harbour.md"].status == ""
    assert day_goal(book) == 0


def test_words_of_days_are_shown(cli: CommandLine, book: Path) -> None:
    cli("draft", book, "--chapter", 1, "--max-tokens", 20)
    found = cli("chapters", "list", book, "--days", "--json").json
    assert sum(found["days"].values()) > 5
    assert "words today" in cli("chapters", "list", book, "--days").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rename", 9, "X"), "no chapter 9"),
        (("merge", 1, 1), "itself"),
        (("split", 1, "--before", "nowhere"), "not in that chapter"),
        (("split", 1, "--before", "a"), "is there 6 times"),
        (("split", 1, "--line", 99), "has 6 lines"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(cli: CommandLine, book: Path, words: tuple, said: str) -> None:
    command, *rest = words
    before = texts(book)
    assert said in cli("chapters", command, book, *rest).sentence
    assert texts(book) == before


def test_a_wrong_command_is_not_understood(cli: CommandLine, book: Path) -> None:
    assert cli("chapters", "move", book, 1).code == 2
    assert cli("chapters", "split", book, 1).code == 2
    assert cli("chapters", "status", book, 1, "perfect").code == 2


def test_an_interrupted_text_goes_on_in_a_renamed_chapter(cli: CommandLine, novel: Path) -> None:
    drafted = cli("draft", novel, "--max-tokens", 40, "--seed", 5, "--json").lines
    assert cli("chapters", "rename", novel, 1, "Salt").code == 0
    resumed = cli("resume", novel, "--json").lines
    assert resumed[0]["resumed_from"] == 40
    assert resumed[1]["ordinal"] == drafted[-2]["ordinal"] + 1
    (text,) = texts(novel)
    batches = "".join(line["text"] for line in (*drafted[1:-1], *resumed[1:-1]))
    assert text == batches
    assert (novel / "chapters/01-salt.md").exists()


def test_a_search_shows_place_and_line(cli: CommandLine, book: Path) -> None:
    first, second, third, last = cli("search", book, "lamp", "--json").lines
    assert (first["number"], first["line"], first["context"]) == (1, 5, "The lamp was lit.")
    assert first["context"][first["at"] :].startswith("lamp")
    assert (second["number"], third["line"]) == (2, 3)
    assert last == {"event": "found", "matches": 3, "chapters": 2}
    assert "1:5: The [lamp] was lit." in cli("search", book, "lamp").out
    assert cli("search", book, "Lamp", "--case").out == "Nothing was found.\n"
    assert cli("search", book, "l.mp", "--regex", "--chapter", 1, "--json").lines[-1]["matches"] == 1
    assert "not right" in cli("search", book, "(", "--regex").sentence


def test_a_replacement_changes_the_whole_book_and_keeps_versions(cli: CommandLine, book: Path) -> None:
    ran = cli("search", book, r"\blamp\b", "--regex", "--replace", "lantern")
    assert "3 replaced in 2 chapters." in ran.out
    assert texts(book) == [ONE.replace("lamp", "lantern"), TWO.replace("lamp", "lantern")]


def test_a_chapter_that_is_no_text_is_told_and_the_others_are_searched(cli: CommandLine, book: Path) -> None:
    (book / "chapters/01-the-harbour.md").write_bytes(b"\xff\xfe lamp")
    ran = cli("search", book, "lamp", "--replace", "lantern")
    assert "not UTF-8" in ran.err
    assert (book / "chapters/02-the-lamp.md").read_text() == TWO.replace("lamp", "lantern")
    assert (book / "chapters/01-the-harbour.md").read_bytes() == b"\xff\xfe lamp"


def test_notes_are_listed_with_what_could_not_be_read(cli: CommandLine, book: Path) -> None:
    (book / "notes" / "characters").mkdir()
    (book / "notes" / "characters" / "mara.md").write_text("---\nkeys: Mara, captain\n---\nLimps.")
    (book / "notes" / "style.md").write_text("Short.")
    (book / "notes" / "bad.md").write_text("---\nnonsense\n---\n")
    ran = cli("notes", book)
    assert "character  Mara (notes/characters/mara.md): Mara, captain" in ran.out
    assert "style      Style (notes/style.md): always" in ran.out
    assert "notes/bad.md, line 2" in ran.err
    found = cli("notes", book, "--mentioned-in", 1, "--json").json
    assert [note["title"] for note in found["notes"]] == ["Mara"]
    assert "mentions none" in cli("notes", book, "--mentioned-in", 2).out


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("character", "notes/characters/mara-holm.md"),
        ("thread", "notes/threads/mara-holm.md"),
        ("note", "notes/mara-holm.md"),
    ],
)
def test_a_new_note_is_listed_by_its_name(cli: CommandLine, book: Path, kind: str, path: str) -> None:
    assert cli("notes", book, "--new", "Mara Holm", "--kind", kind, "--json").json == {"path": path}
    (note,) = cli("notes", book, "--json").json["notes"]
    assert (note["title"], note["kind"], note["keys"]) == ("Mara Holm", kind, ["Mara Holm"])
    assert "letter or a digit" in cli("notes", book, "--new", "?!").sentence


def test_the_outline_follows_a_rename(cli: CommandLine, book: Path) -> None:
    (book / "outline.md").write_text("## The harbour\nThe lamp.\n\n## The lamp\nThe lamp is out.\n")
    assert cli("chapters", "rename", book, 2, "No oil").code == 0
    assert (book / "outline.md").read_text() == "## The harbour\nThe lamp.\n\n## No oil\nThe lamp is out.\n"


def test_a_merge_tells_where_the_summary_is(cli: CommandLine, book: Path) -> None:
    write_summary(book, Summary("chapters/02-the-lamp.md", "No oil.", "ab"))
    ran = cli("chapters", "merge", book, 1, 2)
    assert ran.code == 0
    assert "The summary of “The lamp” is notes/summaries/01-the-harbour.md now." in ran.err
