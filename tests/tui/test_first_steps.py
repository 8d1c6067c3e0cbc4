"""What an author meets in the first minutes of a book: its outline, its first title, its first search."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranging_desk import ArrangingDesk
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from textual.events import Key
from textual.widgets import Static

from writer.manuscript.model import Manuscript
from writer.tui.book.chapters_sheet import ChaptersSheet
from writer.tui.book.notes_sheet import NotesSheet, listed
from writer.tui.book.sheet import Rows
from writer.tui.screens.help import KEYS, Help


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    novel = make_novel(tmp_path)
    (novel.folder / "outline.md").write_text("# Part One\n\n")
    return novel


def rows(desktop: Desktop) -> str:
    return "\n".join(str(option.prompt) for found in desktop.app.screen.query(Rows) for option in found.options)


async def test_what_is_typed_into_the_outline_is_listed_before_it_is_saved(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.open_outline()
        await desktop.until(lambda: desktop.page.chapter.path == "outline.md")
        desktop.page.editor.go_to_end()
        await desktop.press(*"## The storm", "enter", *"Ships.")
        await desktop.press("ctrl+o")
        await desktop.until(lambda: isinstance(desktop.app.screen, ChaptersSheet) and "The storm" in rows(desktop))
        assert "Ships." in rows(desktop)
        assert "storm" not in (novel.folder / "outline.md").read_text()


async def test_a_new_title_takes_the_place_of_the_old_one(novel: Manuscript) -> None:
    async with running(novel, ArrangingDesk(novel)) as desktop:
        await desktop.press("ctrl+o")
        await desktop.until(lambda: isinstance(desktop.app.screen, ChaptersSheet) and rows(desktop))
        await desktop.press("r", *"The storm", "enter")
        await desktop.until(lambda: desktop.page.chapter.title == "The storm")


async def test_the_outline_is_called_the_outline_whatever_its_first_heading(novel: Manuscript) -> None:
    assert [text.title for text in listed(novel.folder)[0] if text.path == "outline.md"] == ["Outline"]
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.action_notes()
        await desktop.until(lambda: isinstance(desktop.app.screen, NotesSheet) and "Outline" in rows(desktop))
        assert "Part One" not in rows(desktop)


async def test_each_key_of_the_help_has_one_line(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("f1")
        await desktop.until(lambda: isinstance(desktop.app.screen, Help))
        width = desktop.app.screen.query_one(Static).content_size.width
        assert width > 40
        assert [what for _, what in KEYS if 16 + len(what) > width] == []


async def test_a_letter_with_alt_is_a_command_and_is_not_typed(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.page.editor.move_to(0)
        text = desktop.page.editor.text
        for letter in "gd":  # as a terminal's Escape and letter arrive
            desktop.app.post_message(Key(f"alt+{letter}", letter))
        await desktop.until(lambda: len(desktop.page.editor.text) < len(text))
        assert text.endswith(desktop.page.editor.text)
        assert any("none to retry" in told for told in desktop.told)
