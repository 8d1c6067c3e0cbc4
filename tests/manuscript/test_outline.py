"""The outline: a heading per chapter, parts above them, what happens there below."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.errors import ManuscriptError
from writer.manuscript import outline
from writer.manuscript.model import Manuscript
from writer.manuscript.outline import OutlineEntry, entry_for, parse, read_outline

TEXT = """Above.

# Part One

About the part.

## The harbour
Mara comes home.

### A scene
The lamp is lit.
## The lamp ##

# Part Two
## The sea
Storm.
"""


def test_chapters_have_a_title_a_synopsis_and_a_part() -> None:
    assert parse(TEXT) == [
        ("The harbour", "Mara comes home.\n\n### A scene\nThe lamp is lit.", "Part One"),
        ("The lamp", "", "Part One"),
        ("The sea", "Storm.", "Part Two"),
    ]


def test_an_outline_of_first_level_headings_has_no_parts() -> None:
    assert parse("# One\na\n# Two\nb") == [("One", "a", ""), ("Two", "b", "")]


def test_the_outline_of_a_new_manuscript_is_empty(novel: Manuscript) -> None:
    assert read_outline(novel.folder) == ()


def test_comments_are_nobodys() -> None:
    assert parse("## A\nseen <!-- ## B\nhidden --> too\n## C\n<!-- open\n## D") == [
        ("A", "seen  too", ""),
        ("C", "", ""),
    ]


def test_a_chapters_status_comes_from_the_settings(novel: Manuscript) -> None:
    (novel.folder / "outline.md").write_text("## The harbour\n## The sea\n")
    (novel.folder / novel.chapters[0].path).write_text("# The  Harbour\n")
    with novel.settings_file.open("a") as file:
        file.write(f'\n[chapter."{novel.chapters[0].path}"]\nstatus = "revised"\n')
    assert [(entry.title, entry.status) for entry in read_outline(novel.folder)] == [
        ("The harbour", "revised"),
        ("The sea", "idea"),
    ]


@pytest.mark.parametrize("title", ["The Harbour", "the  harbour", "Chapter 3: The harbour", "3. The harbour"])
def test_an_entry_is_found_by_its_title(title: str) -> None:
    entries = [OutlineEntry("The sea", "", "", ""), OutlineEntry("The harbour", "x", "", "")]
    assert entry_for(entries, title) == entries[1]


def test_an_entry_of_another_title_is_none() -> None:
    entries = [OutlineEntry("Chapter 1", "", "", ""), OutlineEntry("Chapter 2", "", "", "")]
    assert entry_for(entries, "Chapter 2") == entries[1]
    assert entry_for(entries, "Chapter 12") is None


def test_an_outline_that_leads_outside_or_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "novel").mkdir()
    (tmp_path / "other.md").write_text("## Secret")
    (tmp_path / "novel" / "outline.md").symlink_to(tmp_path / "other.md")
    with pytest.raises(ManuscriptError, match="outside"):
        read_outline(tmp_path / "novel")
    (tmp_path / "novel" / "outline.md").unlink()
    (tmp_path / "novel" / "outline.md").write_text("## A\n" + "x" * 100)
    monkeypatch.setattr(outline, "MOST_BYTES", 50)
    with pytest.raises(ManuscriptError, match="larger"):
        read_outline(tmp_path / "novel")


@given(st.text("#- <>!\nab", max_size=200))
def test_any_text_is_an_outline(text: str) -> None:
    for title, synopsis, _ in parse(text):
        assert title
        assert not synopsis.startswith("## ")
