"""A new chapter stands behind the one that is shown, or where the outline has it; it is made as all changes are."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranging_desk import ArrangingDesk
from desktop import Desktop, make_novel, running

from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.runtime.orders import ArrangeOrder
from writer.tui.book.chapters_sheet import ChaptersSheet
from writer.tui.screens.ask import Ask


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return open_manuscript(make_novel(tmp_path).folder)


@pytest.fixture
def desk(novel: Manuscript) -> ArrangingDesk:
    return ArrangingDesk(novel)


def titles(desktop: Desktop) -> list[str]:
    return [chapter.title for chapter in open_manuscript(desktop.screen.manuscript.folder).chapters]


def hint(desktop: Desktop) -> str:
    """What the question for the title says; "" while nothing is asked."""
    screen = desktop.app.screen
    return str(screen.query_one(".hint").render()) if isinstance(screen, Ask) and screen.query(".hint") else ""


async def test_it_stands_behind_the_chapter_that_is_shown(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+n")
        await desktop.until(lambda: "behind “One”" in hint(desktop))
        await desktop.press(*"Storm", "enter")
        await desktop.until(lambda: desktop.page.chapter.title == "Storm")
        assert titles(desktop) == ["One", "Storm", "The Lighthouse"]
        assert (desktop.page.chapter.number, desktop.page.chapter.path) == (2, "chapters/03-storm.md")
        assert desktop.page.editor.text == "# Storm\n\n"
        await desktop.until(lambda: desktop.page.editor.cursor == len("# Storm\n\n"))
        assert "2 Storm" in desktop.outline[1]
        assert len(desk.given(ArrangeOrder)) == 1


async def test_behind_the_last_one_it_is_at_the_end_and_has_a_number_as_title(
    novel: Manuscript, desk: ArrangingDesk
) -> None:
    async with running(novel, desk) as desktop:
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        await desktop.press("ctrl+n")
        await desktop.until(lambda: "at the end" in hint(desktop))
        await desktop.press("enter")
        await desktop.until(lambda: desktop.page.chapter.number == 3)
        assert titles(desktop) == ["One", "The Lighthouse", "Chapter 3"]


async def test_while_a_note_is_shown_it_is_at_the_end(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        desktop.screen.open_outline()
        await desktop.until(lambda: desktop.page.beside)
        await desktop.press("ctrl+n", *"Storm", "enter")
        await desktop.until(lambda: desktop.page.chapter.title == "Storm")
        assert titles(desktop) == ["One", "The Lighthouse", "Storm"]


async def test_one_that_waits_in_the_outline_is_made_where_it_stands_there(
    novel: Manuscript, desk: ArrangingDesk
) -> None:
    (novel.folder / "outline.md").write_text("## The Lighthouse\n\n## The storm\n")
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+n", *"the storm", "enter")
        await desktop.until(lambda: desktop.page.chapter.title == "the storm")
        assert titles(desktop) == ["One", "The Lighthouse", "the storm"]
        await desktop.press("ctrl+n", *"The Lighthouse", "enter")
        await desktop.until(lambda: len(titles(desktop)) == 4)
        assert titles(desktop)[3] == "The Lighthouse", "there is one already: this is another"


async def test_an_outline_that_cannot_be_read_keeps_nobody_from_a_new_chapter(
    novel: Manuscript, desk: ArrangingDesk
) -> None:
    (novel.folder / "outline.md").write_bytes(b"## K\xfcste\n")
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+n", *"Storm", "enter")
        await desktop.until(lambda: desktop.page.chapter.title == "Storm")
        assert not desktop.told


async def test_from_the_book_it_stands_behind_the_one_that_is_chosen(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        await desktop.press("ctrl+o")
        await desktop.until(lambda: isinstance(desktop.app.screen, ChaptersSheet) and desktop.app.screen._overview)
        await desktop.press("home", "a")
        await desktop.until(lambda: "behind “One”" in hint(desktop))
        await desktop.press(*"Storm", "enter")
        await desktop.until(lambda: titles(desktop) == ["One", "Storm", "The Lighthouse"])


async def test_before_the_manuscript_is_open_it_is_told_to_wait(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        desktop.screen.open_for_writing = False
        await desktop.press("ctrl+n", *"Storm", "enter")
        await desktop.until(lambda: any("still being opened" in told for told in desktop.told))
        assert not desk.given(ArrangeOrder)
