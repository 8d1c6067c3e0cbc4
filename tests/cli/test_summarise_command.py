"""`writer summarise`: notes that later prompts hold; the author's own are never replaced unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from a_book import make
from command_line import CommandLine

from writer.locations import state_dir
from writer.manuscript.project import open_manuscript
from writer.manuscript.summaries import read_summary
from writer.manuscript.versions import Versions


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three chapters; only the first has a summary."""
    monkeypatch.setenv("WRITER_SCRIPT", '{"finish_at": 40}')
    folder = make(tmp_path / "book", chapters=3, words=1500, notes=6)
    for number in (2, 3):
        (folder / f"notes/summaries/{number:02d}-chapter-{number}.md").unlink()
    return folder


def summary(folder: Path, number: int) -> str:
    found = read_summary(folder, f"chapters/{number:02d}-chapter-{number}.md")
    return found.text if found else ""


def test_chapters_without_a_summary_get_one_and_the_others_keep_theirs(cli: CommandLine, book: Path) -> None:
    before = summary(book, 1)
    ran = cli("summarise", book, "--json")
    assert ran.code == 0, ran.err
    assert [line["chapter"] for line in ran.lines] == ["chapters/02-chapter-2.md", "chapters/03-chapter-3.md"]
    assert [summary(book, 2), summary(book, 3)] == [line["text"] for line in ran.lines]
    assert summary(book, 1) == before
    again = cli("summarise", book)
    assert "nothing was written" in again.err
    part = next(p for p in cli("plan", book, "--chapter", 3, "--json").json["parts"] if p["kind"] == "summaries")
    assert part["included"]


def test_a_summary_that_is_there_is_replaced_only_when_asked_and_kept_as_a_version(
    cli: CommandLine, book: Path
) -> None:
    before = summary(book, 1)
    assert "Replace it with --again, or edit it." in cli("summarise", book, "--chapter", 1).sentence
    assert summary(book, 1) == before
    assert cli("summarise", book, "--chapter", 1, "--again").code == 0
    assert summary(book, 1) not in ("", before)
    versions = Versions(state_dir(open_manuscript(book).id) / "versions")
    (kept,) = versions.listing("notes/summaries/01-chapter-1.md")
    assert before in versions.read(kept).decode()


def test_a_summary_of_an_earlier_text_is_told_and_made_new_when_asked(cli: CommandLine, book: Path) -> None:
    assert cli("summarise", book).code == 0
    chapter = book / "chapters/02-chapter-2.md"
    chapter.write_text(chapter.read_text() + "And then it rained.")
    assert "Changed since they were summed up: chapters 2." in cli("summarise", book).err
    ran = cli("summarise", book, "--again", "--json")
    assert [line["chapter"] for line in ran.lines] == ["chapters/02-chapter-2.md"]
    assert "Changed" not in cli("summarise", book).err


def test_an_interrupted_summary_goes_on_at_its_next_token(
    cli: CommandLine, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", '{"die_at": 9}')
    assert cli("summarise", book, "--chapter", 2).code == 1
    assert summary(book, 2) == ""
    monkeypatch.setenv("WRITER_SCRIPT", '{"finish_at": 30}')
    ran = cli("summarise", book, "--chapter", 2, "--json")
    assert ran.code == 0, ran.err
    takes = [take for take in cli("takes", book, "--chapter", 2, "--json").json["takes"] if take["role"] == "summary"]
    assert [take["generation"] for take in takes] == [ran.lines[0]["generation"]]


def test_an_empty_chapter_gets_no_summary(cli: CommandLine, novel: Path) -> None:
    assert "nothing was written" in cli("summarise", novel).err
    assert "too little text" in cli("summarise", novel, "--chapter", 1).sentence
    assert "There is no chapter 4" in cli("summarise", novel, "--chapter", 4).sentence
