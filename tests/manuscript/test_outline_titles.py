"""A renamed chapter has its new title in the outline too; nothing else there is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranged import a_book, done

from writer.manuscript import chapter_plans as plans
from writer.manuscript.arranging import Shelf
from writer.manuscript.book import read_book
from writer.manuscript.edits import applied
from writer.manuscript.outline import entry_for, retitled

OUTLINE = "# The lamp\n\n## The harbour\nMara. ## The lamp\n\n## 2. The Lamp  ##\nThe lamp is out.\n### The lamp\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = a_book(tmp_path)
    (shelf.folder / "outline.md").write_text(OUTLINE)
    return shelf


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("## One\nOne.\n## Two\n", "Two", "Sea", "## One\nOne.\n## Sea\n"),
        ("## One\n", "one", "Sea", "## Sea\n"),
        ("## Chapter 2: One ##\n", "One", "Sea", "## Chapter 2: Sea ##\n"),
        ("## One\n", "Chapter 2: One", "Chapter 2: Sea", "## Sea\n"),
        ("## 3 One\n", "Chapter 2: One", "1984 is over", "## 3 is over\n"),
        ("## One\n", "One", r"\1 $ # C#", "## \\1 $ # C#\n"),
        ("## One more\n## On\n### One\nOne\n", "One", "Sea", ""),
        ("# One\n## Two\n", "One", "Sea", ""),
        ("# One\n# Two\n", "One", "Sea", "# Sea\n# Two\n"),
        ("<!-- \n## One\n-->\n## One <!-- why -->\n", "One", "Sea", "<!-- \n## One\n-->\n## Sea <!-- why -->\n"),
        ("## One\n## One\n", "One", "Sea", "## Sea\n## One\n"),
        ("", "One", "Sea", ""),
    ],
)
def test_only_the_heading_of_that_chapter_changes(text: str, old: str, new: str, after: str) -> None:
    assert applied(text, retitled(text, old, new)) == (after or text)


def test_a_heading_that_may_be_another_chapters_stays() -> None:
    assert retitled("## One\n", "One", "Sea", ["one"]) == ()
    assert retitled("## One\n## 2. One\n", "One", "Sea", ["2. One"]) != ()


def test_the_outline_follows_a_rename_in_the_same_change(shelf: Shelf) -> None:
    plan = plans.renamed(read_book(shelf.folder), 2, "No oil")
    done(shelf, plan)
    text = (shelf.folder / "outline.md").read_text()
    assert text == OUTLINE.replace("2. The Lamp", "2. No oil")
    assert entry_for(read_book(shelf.folder).outline(), "No oil")
    assert shelf.versions.listing("outline.md")
    carried = next(each for each in plan.carried if each.old == "outline.md")
    assert (carried.new, applied(OUTLINE, carried.edits)) == ("outline.md", text)


@pytest.mark.parametrize("data", [b"## K\xfcste\n## The lamp\n", b"", b"## Other\n"])
def test_an_outline_without_that_heading_or_unreadable_stays_as_it_is(shelf: Shelf, data: bytes) -> None:
    (shelf.folder / "outline.md").write_bytes(data)
    done(shelf, plans.renamed(read_book(shelf.folder), 2, "No oil"))
    assert (shelf.folder / "outline.md").read_bytes() == data


def test_line_ends_of_the_outline_are_kept(shelf: Shelf) -> None:
    (shelf.folder / "outline.md").write_bytes(OUTLINE.replace("\n", "\r\n").encode())
    done(shelf, plans.renamed(read_book(shelf.folder), 2, "No oil"))
    after = OUTLINE.replace("2. The Lamp", "2. No oil").replace("\n", "\r\n")
    assert (shelf.folder / "outline.md").read_bytes() == after.encode()


def test_a_chapter_that_has_its_title_already_changes_no_outline(shelf: Shelf) -> None:
    assert plans.renamed(read_book(shelf.folder), 2, "The lamp").steps == ()
