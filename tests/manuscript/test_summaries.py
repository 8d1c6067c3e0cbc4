"""Summaries of chapters: kept in notes/summaries, the author's to change, found again by the chapter's path."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.errors import ManuscriptError
from writer.manuscript.notes import mentioned, read_notes
from writer.manuscript.summaries import Summary, read_summary, summary_path, write_summary

CHAPTER = "chapters/03-the-harbour.md"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    for text in ("Mara comes home.", "Mara comes home.\n\n---\n\nAnd leaves."):
        summary = Summary(CHAPTER, text, "ab" * 32)
        write_summary(tmp_path, summary)
        assert read_summary(tmp_path, CHAPTER) == summary


def test_the_author_may_write_one_by_hand(tmp_path: Path) -> None:
    (tmp_path / "notes" / "summaries").mkdir(parents=True)
    (tmp_path / summary_path(CHAPTER)).write_text("Mara comes home.\n")
    assert read_summary(tmp_path, CHAPTER) == Summary(CHAPTER, "Mara comes home.", "")


def test_chapters_of_one_name_have_summaries_of_their_own(tmp_path: Path) -> None:
    other = "drafts/03-the-harbour.md"
    write_summary(tmp_path, Summary(CHAPTER, "One.", ""))
    write_summary(tmp_path, Summary(other, "Two.", ""))
    assert [found.text for path in (CHAPTER, other) if (found := read_summary(tmp_path, path))] == ["One.", "Two."]


def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_summary(tmp_path, CHAPTER) is None


def test_a_summary_that_leads_outside_is_neither_read_nor_written(tmp_path: Path) -> None:
    folder = tmp_path / "novel"
    (folder / "notes" / "summaries").mkdir(parents=True)
    (tmp_path / "other.md").write_text("Secret.")
    (folder / summary_path(CHAPTER)).symlink_to(tmp_path / "other.md")
    with pytest.raises(ManuscriptError, match="outside"):
        read_summary(folder, CHAPTER)
    with pytest.raises(ManuscriptError, match="outside"):
        write_summary(folder, Summary(CHAPTER, "Mine.", ""))
    assert (tmp_path / "other.md").read_text() == "Secret."


def test_summaries_are_notes_that_nothing_mentions(tmp_path: Path) -> None:
    write_summary(tmp_path, Summary(CHAPTER, "The harbour.", "ab"))
    (note,), sentences = read_notes(tmp_path)
    assert (note.kind, note.always, note.keys, sentences) == ("summary", False, (), ())
    assert mentioned([note], "The harbour") == ()
