"""Chapters renamed, moved, split, merged and given a status on the screen. The files are really changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranging_desk import ArrangingDesk
from desktop import Desktop, make_novel, offer, running
from fake_desk import FakeDesk

from writer.manuscript.chapter_facts import day_goal, read_facts
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter
from writer.manuscript.summaries import Summary, summary_path, write_summary
from writer.runtime.events import GenerationFailed
from writer.runtime.orders import ArrangeOrder, DraftOrder, SaveOrder
from writer.tui.book.chapters_sheet import ChaptersSheet
from writer.tui.screens.choice import Choice


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    novel = make_novel(tmp_path)
    (novel.folder / novel.chapters[1].path).write_text("# The Lighthouse\n\nDark.\n")
    return novel


@pytest.fixture
def desk(novel: Manuscript) -> ArrangingDesk:
    return ArrangingDesk(novel)


def titles(desktop: Desktop) -> list[str]:
    return [chapter.title for chapter in desktop.screen.manuscript.chapters]


async def test_an_open_chapter_follows_its_new_name(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        await desktop.press(*"Now ")
        old = desktop.page.chapter.path
        desktop.screen.arranging.rename(old)
        await desktop.press("home", "shift+end", *"The storm", "enter")
        await desktop.until(lambda: desktop.page.chapter.title == "The storm")
        path = desktop.page.chapter.path
        assert path == "chapters/01-the-storm.md"
        assert list(desktop.screen.pages) == [path]
        assert "1 The storm" in desktop.outline[0]
        assert "Now" in (novel.folder / path).read_text()
        await desktop.press(*"more ")
        await desktop.press("ctrl+s")
        await desktop.until(lambda: desk.given(SaveOrder)[-1].chapter == path)


async def test_an_offer_of_a_renamed_chapter_goes_along(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        old = novel.chapters[1].path
        desktop.screen.offers[old] = offer(novel, chapter=1)
        desktop.screen.arranging._rename(old, "The sea")
        await desktop.until(lambda: titles(desktop)[1] == "The sea")
        (path,) = desktop.screen.offers
        assert desktop.screen.offers[path].chapter == path == "chapters/02-the-sea.md"


async def test_a_chapter_is_split_at_the_cursor_and_the_new_one_is_shown(
    novel: Manuscript, desk: ArrangingDesk
) -> None:
    async with running(novel, desk) as desktop:
        first = desktop.page
        first.editor.move_to(first.editor.text.index("The ship"))
        desktop.screen.arranging.split()
        await desktop.press(*"Landfall", "enter")
        await desktop.until(lambda: desktop.page.chapter.title == "Landfall")
        assert titles(desktop) == ["One", "Landfall", "The Lighthouse"]
        assert desktop.page.editor.text == "# Landfall\n\nThe ship came in."
        await desktop.until(lambda: desktop.page.editor.cursor == len("# Landfall\n\n"))
        assert (novel.folder / first.chapter.path).read_text() == "# One\n\nIt rained.\n"
        assert not first.editor.read_only
        assert desktop.page.chapter.number == 2


async def test_two_chapters_become_one_and_the_second_ones_page_goes(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        first, second = (chapter.path for chapter in novel.chapters)
        desktop.screen.open_chapter(second)
        await desktop.until(lambda: desktop.page.chapter.path == second)
        desktop.page.editor.go_to_end()
        await desktop.press(*"Cold.")
        desktop.screen.arranging.merge(first)
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        await desktop.press("enter")
        await desktop.until(lambda: list(desktop.screen.pages) == [first] and desktop.page.chapter.path == first)
        assert titles(desktop) == ["One"]
        assert (novel.folder / first).read_text().endswith("## The Lighthouse\n\nDark.\nCold.")
        assert not (novel.folder / second).exists()


async def test_a_chapter_that_is_being_written_is_neither_split_nor_merged(
    novel: Manuscript, desk: ArrangingDesk
) -> None:
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+g")
        desk.begin()
        await desktop.until(lambda: desktop.screen.writing.generation)
        desktop.screen.arranging.split()
        desktop.screen.arranging.merge(desktop.page.chapter.path)
        assert desktop.app.screen is desktop.screen
        await desktop.until(lambda: len([told for told in desktop.told if "is being written" in told]) == 2)


async def test_a_chapter_with_paused_text_is_not_merged(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        desktop.screen.offers[novel.chapters[1].path] = offer(novel, chapter=1)
        desktop.screen.arranging.merge(novel.chapters[0].path)
        assert desktop.app.screen is desktop.screen
        await desktop.until(lambda: any("paused text" in told for told in desktop.told))


async def test_a_text_that_could_not_be_saved_is_not_split(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        before = (novel.folder / novel.chapters[0].path).read_text()
        await desktop.press(*"Now ")
        desk.full = True
        desktop.screen.arranging._split(desktop.page, 12, "x")
        await desktop.until(lambda: any("nothing is changed" in told for told in desktop.told))
        assert (novel.folder / novel.chapters[0].path).read_text() == before
        assert not desktop.page.editor.read_only
        assert desktop.page.editor.text == "Now " + before


async def test_chapters_are_moved_and_get_a_status_in_the_overview(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        first = novel.chapters[0].path
        await desktop.press("ctrl+o")
        await desktop.until(lambda: isinstance(desktop.app.screen, ChaptersSheet) and desktop.app.screen._overview)
        await desktop.press("d")
        await desktop.until(lambda: titles(desktop) == ["The Lighthouse", "One"])
        await desktop.until(lambda: desktop.app.screen._rows.chosen == first)  # type: ignore[attr-defined]
        await desktop.press("d", "s", "s")
        await desktop.until(lambda: read_facts(novel.folder).get(first))
        await desktop.until(lambda: "2 ~ One" in desktop.outline[1])
        assert read_facts(novel.folder)[first].status == "draft"
        await desktop.press("u")
        await desktop.until(lambda: titles(desktop) == ["One", "The Lighthouse"])


async def test_a_chapter_of_the_outline_is_made_where_it_belongs(novel: Manuscript, desk: ArrangingDesk) -> None:
    (novel.folder / "outline.md").write_text("## One\n\n## The storm\n\n## The Lighthouse\n")
    async with running(novel, desk) as desktop:
        desktop.screen.arranging.adding.add("The storm")
        await desktop.until(lambda: desktop.page.chapter.title == "The storm")
        assert titles(desktop) == ["One", "The storm", "The Lighthouse"]


async def test_goals_are_asked_for_and_kept(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        first = novel.chapters[0].path
        desktop.screen.arranging.goal(first)
        await desktop.press(*"3,000", "enter")
        await desktop.until(lambda: read_facts(novel.folder).get(first))
        assert read_facts(novel.folder)[first].goal == 3000
        desktop.screen.arranging.day_goal()
        await desktop.press(*"many", "enter")
        await desktop.until(lambda: any("number of words" in told for told in desktop.told))
        desktop.screen.arranging.day_goal()
        await desktop.press(*"800", "enter")
        await desktop.until(lambda: day_goal(novel.folder) == 800)


async def test_a_window_that_only_reads_changes_no_chapter(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        desktop.screen.only_reads = True
        desktop.screen.arranging.down(novel.chapters[0].path)
        assert not desk.given(ArrangeOrder)
        await desktop.until(lambda: any("only reads" in told for told in desktop.told))


async def test_a_chapter_is_put_into_a_part(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(novel, desk) as desktop:
        first = novel.chapters[0].path
        desktop.screen.arranging.part(first)
        await desktop.press(*"Part One", "enter")
        await desktop.until(lambda: read_facts(novel.folder).get(first))
        assert read_facts(novel.folder)[first].part == "Part One"


async def test_a_writing_thread_that_fails_leaves_no_chapter_locked(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.arranging._split(desktop.page, 12, "x")
        assert desktop.page.editor.read_only
        desk.report(GenerationFailed("", 0, "Something went wrong inside writer."))
        await desktop.until(lambda: not desktop.screen.rearranged)
        assert not desktop.page.editor.read_only


async def test_nothing_is_begun_while_chapters_are_changed(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.arranging._rename(novel.chapters[0].path, "x")
        await desktop.press("ctrl+g")
        assert not desk.given(DraftOrder)


async def test_a_renamed_chapter_keeps_its_place_in_the_outline(novel: Manuscript, desk: ArrangingDesk) -> None:
    outline = novel.folder / "outline.md"
    outline.write_text("# Part\n\n## Chapter 2: The lighthouse\nDark.\n\nThe Lighthouse stands.\n")
    async with running(novel, desk) as desktop:
        desktop.screen.arranging._rename(novel.chapters[1].path, r"The \1 sea")
        await desktop.until(lambda: titles(desktop)[1] == r"The \1 sea")
        assert outline.read_text() == "# Part\n\n## Chapter 2: The \\1 sea\nDark.\n\nThe Lighthouse stands.\n"
        assert not desktop.told


async def test_chapters_are_opened_after_a_page_has_gone(novel: Manuscript, desk: ArrangingDesk) -> None:
    async with running(add_chapter(add_chapter(novel, "Storm"), "Calm"), desk) as desktop:
        paths = [chapter.path for chapter in desktop.screen.manuscript.chapters]
        for path in paths[1:3]:
            desktop.screen.open_chapter(path)
            await desktop.until(lambda path=path: desktop.page.chapter.path == path)
        desktop.screen.arranging._merge(*paths[:2])
        await desktop.until(lambda: paths[1] not in desktop.screen.pages)
        desktop.screen.open_chapter(paths[3])
        await desktop.until(lambda: desktop.page.chapter.path == paths[3])
        assert len({page.editor.id for page in desktop.screen.pages.values()}) == 3


async def test_an_open_summary_follows_the_new_name_of_its_chapter(novel: Manuscript, desk: ArrangingDesk) -> None:
    write_summary(novel.folder, Summary(novel.chapters[1].path, "It is dark.", ""))
    async with running(novel, desk) as desktop:
        old = summary_path(novel.chapters[1].path)
        desktop.screen.open_text(old)
        await desktop.until(lambda: desktop.page.chapter.path == old)
        desktop.screen.arranging._rename(novel.chapters[1].path, "The sea")
        await desktop.until(lambda: titles(desktop)[1] == "The sea")
        new = summary_path(desktop.screen.manuscript.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.path == new != old)
        assert desktop.screen.named(new)
        assert not desktop.screen.named(old)
