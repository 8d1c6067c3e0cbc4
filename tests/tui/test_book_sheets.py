"""The sheets of the book: chapters, notes, search and replace, reading view."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranging_desk import ArrangingDesk
from desktop import NEVER, Desktop, make_novel, offer, rested, running
from fake_desk import FakeDesk
from textual.widgets import Input

from writer.config import EditorSettings
from writer.editing.find import Query, compile
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter
from writer.runtime.events import ArrangeRefused, GenerationFailed
from writer.runtime.orders import ArrangeOrder, DraftOrder, SaveOrder
from writer.tui.app import WriterApp
from writer.tui.book.chapters_sheet import ChaptersSheet
from writer.tui.book.notes_sheet import NotesSheet
from writer.tui.book.reading_sheet import ReadingSheet
from writer.tui.book.search_sheet import SearchSheet
from writer.tui.book.sheet import Rows
from writer.tui.editor.find_bar import FindBar
from writer.tui.screens.choice import Choice


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    novel = make_novel(tmp_path)
    (novel.folder / "outline.md").write_text("## The Lighthouse\nNobody lights it.\n\n## The storm\nShips.\n")
    return novel


def rows(desktop: Desktop) -> list[str]:
    return [str(option.prompt) for found in desktop.app.screen.query(Rows) for option in found.options]


async def shown(desktop: Desktop, sheet: type) -> None:
    await desktop.until(lambda: isinstance(desktop.app.screen, sheet))
    await desktop.until(lambda: rows(desktop) if sheet is not ReadingSheet else True)


# --- chapters


async def test_the_chapters_are_listed_with_words_and_synopsis(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("ctrl+o")
        await shown(desktop, ChaptersSheet)
        first, second, third = rows(desktop)
        for row, parts in ((first, ["1   One", "7 words"]), (second, ["2   The Lighthouse", "Nobody lights it."])):
            assert [part for part in parts if part not in row] == []
        assert third.split() == ["–", "?", "The", "storm", "idea", "not", "begun", "Ships."]


async def test_enter_opens_the_chapter_that_is_chosen(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("ctrl+o")
        await shown(desktop, ChaptersSheet)
        await desktop.press("down", "enter")
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        assert desktop.app.screen is desktop.screen


async def test_what_is_typed_counts_before_it_is_saved(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press(*"Rain rain ")
        await desktop.press("ctrl+o")
        await shown(desktop, ChaptersSheet)
        assert "9 words" in rows(desktop)[0]


# --- notes, and other texts


async def test_a_note_is_made_from_a_template_and_opened(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.action_notes()
        await shown(desktop, NotesSheet)
        await desktop.press("c", *"Mara", "enter")
        await desktop.until(lambda: desktop.page.chapter.path == "notes/characters/mara.md")
        assert desktop.page.editor.text.startswith("---\ntitle: Mara\nkeys: Mara\n---\n\nWho:")
        desktop.page.editor.go_to_end()
        await desktop.press(*"Old.")
        await desktop.press("ctrl+s")
        await desktop.until(lambda: any(o.chapter == "notes/characters/mara.md" for o in desk.given(SaveOrder)))


async def test_nothing_is_generated_into_a_note(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.open_outline()
        await desktop.until(lambda: desktop.page.chapter.path == "outline.md")
        await desktop.press("ctrl+g")
        await desktop.press("f2")
        assert desktop.app.screen is desktop.screen
        assert not desk.given(DraftOrder)
        assert len(desktop.told) == 2


async def test_an_outline_that_is_not_there_is_made(novel: Manuscript) -> None:
    (novel.folder / "outline.md").unlink()
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.open_outline()
        await desktop.until(lambda: desktop.page.chapter.path == "outline.md")
        assert (novel.folder / "outline.md").read_text() == ""


async def test_a_note_that_is_not_utf8_is_one_sentence(novel: Manuscript) -> None:
    (novel.folder / "notes/old.md").write_bytes("Käthe über alles, schöne Grüße\n".encode("latin-1"))
    async with running(novel, FakeDesk()) as desktop:
        page = desktop.page
        desktop.screen.open_text("notes/old.md")
        await desktop.until(lambda: desktop.told)
        assert desktop.page is page
        assert "UTF-8" in desktop.told[0]


async def test_the_outline_opens_at_the_chapter_that_was_shown(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        desktop.screen.open_outline()
        await desktop.until(lambda: desktop.page.chapter.path == "outline.md" and desktop.page.editor.cursor)
        assert desktop.page.editor.text[desktop.page.editor.cursor :].startswith("Nobody lights it.")


async def test_a_window_that_only_reads_makes_and_replaces_nothing(novel: Manuscript) -> None:
    (novel.folder / "outline.md").unlink()
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.only_reads = True
        desktop.screen.open_outline()
        await desktop.until(lambda: desktop.told)
        assert not (novel.folder / "outline.md").exists()
        desktop.screen.replace_in_book(compile(Query("ship")), "boat", (novel.chapters[0].path,))
        assert not desk.given(SaveOrder)
        desktop.screen.action_notes()
        await desktop.until(lambda: isinstance(desktop.app.screen, NotesSheet))
        await desktop.press("c")
        assert isinstance(desktop.app.screen, NotesSheet)


@pytest.mark.parametrize("size", [(60, 20), (30, 8), (5, 3)])
async def test_every_sheet_can_be_painted_in_every_size(novel: Manuscript, size: tuple[int, int]) -> None:
    app = WriterApp(novel, FakeDesk(), EditorSettings(autosave=NEVER))
    async with app.run_test(size=size) as pilot:
        desktop = Desktop(app, FakeDesk(), pilot)
        await desktop.until(lambda: app.main.page)
        for action in ("action_chapters", "action_notes", "action_search_book", "action_read_book", "action_days"):
            getattr(app.main, action)()
            await desktop.until(lambda: app.screen is not app.main)
            await rested(app)
            await pilot.pause()
            await pilot.press("escape")
            await desktop.until(lambda: app.screen is app.main)


# --- search and replace


def found_for(desktop: Desktop, pattern: str) -> bool:
    """Whether the list is that of this pattern: while it is typed, each beginning of it has had its own."""
    sheet = desktop.app.screen
    assert isinstance(sheet, SearchSheet)
    finder = sheet._finder
    return finder is not None and finder.query.pattern == pattern and sheet._found is not None


async def test_a_search_goes_to_a_place_in_another_chapter(novel: Manuscript) -> None:
    second = novel.folder / novel.chapters[1].path
    second.write_text("# The Lighthouse\n\nNo ship\tcame.\n")
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("f10")
        await desktop.until(lambda: isinstance(desktop.app.screen, SearchSheet))
        await desktop.press(*"ship")
        await desktop.until(lambda: found_for(desktop, "ship") and len(rows(desktop)) == 4)
        await desktop.press("enter", "down", "enter")
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        await desktop.until(lambda: desktop.page.editor.sheet.selected_text() == "ship")


async def test_replace_all_asks_once_and_changes_open_and_closed_chapters(novel: Manuscript) -> None:
    novel = add_chapter(novel, "Storm")
    second, third = (novel.folder / chapter.path for chapter in novel.chapters[1:])
    second.write_text("A ship. No ship.\n")
    third.write_text("Ships.\n")
    async with running(novel, ArrangingDesk(novel)) as desktop:
        before = desktop.page.editor.text
        await replace_all(desktop, "ship", "boat")
        await desktop.until(lambda: any("Replaced 4 places in 3 chapters" in told for told in desktop.told))
        assert desktop.page.editor.text == before.replace("ship", "boat")
        assert (second.read_text(), third.read_text()) == ("A boat. No boat.\n", "boats.\n")
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == before


async def test_chapters_that_cannot_be_changed_are_told_and_stay_as_they_are(novel: Manuscript) -> None:
    second = novel.folder / novel.chapters[1].path
    second.write_text("A ship.\n")

    class Refusing(FakeDesk):
        def arrange(self, order: ArrangeOrder) -> None:
            self.report(ArrangeRefused(order.tag, "The disk is full."))

    async with running(novel, Refusing()) as desktop:
        await replace_all(desktop, "ship", "boat")
        await desktop.until(lambda: any("Replaced 1 place in 1 chapter" in told for told in desktop.told))
        assert desktop.told.count("The disk is full.") == 1
        assert second.read_text() == "A ship.\n"


async def test_a_replacement_that_names_no_group_is_told(novel: Manuscript) -> None:
    (novel.folder / novel.chapters[1].path).write_text("A ship.\n")
    async with running(novel, ArrangingDesk(novel)) as desktop:
        finder = compile(Query("(ship)", regex=True))
        desktop.screen.replace_in_book(finder, r"\2", (novel.chapters[1].path,))
        await desktop.until(lambda: any("replacement is not right" in told for told in desktop.told))
        assert not any("Replaced" in told for told in desktop.told)


async def test_a_chapter_with_paused_text_is_changed_in_its_editor(novel: Manuscript) -> None:
    second = novel.folder / novel.chapters[1].path
    second.write_text("A ship. It rained.\n")
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.offers[novel.chapters[1].path] = offer(novel, chapter=1, start=8, end=18)
        await replace_all(desktop, "ship", "schooner")
        await desktop.until(lambda: novel.chapters[1].path in desktop.screen.pages)
        page = desktop.screen.pages[novel.chapters[1].path]
        await desktop.until(lambda: page.editor.text == "A schooner. It rained.\n")
        span = page.editor.generated_span()
        assert span is not None
        assert page.editor.text[span.start : span.end] == "It rained."


async def test_going_back_from_the_question_changes_nothing(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        before = desktop.page.editor.text
        await replace_all(desktop, "ship", "boat", answer="back")
        await desktop.pilot.pause()
        assert desktop.page.editor.text == before
        assert isinstance(desktop.app.screen, SearchSheet)


async def replace_all(desktop: Desktop, pattern: str, new: str, answer: str = "replace") -> None:
    await desktop.press("f10")
    await desktop.until(lambda: isinstance(desktop.app.screen, SearchSheet))
    await desktop.press(*pattern)
    await desktop.until(lambda: found_for(desktop, pattern) and rows(desktop))
    await desktop.press("tab", *new)
    await desktop.until(lambda: [line.value for line in desktop.app.screen.query(Input)] == [pattern, new])
    await desktop.pilot.click(desktop.app.screen.query_one(FindBar)._all)
    await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
    await desktop.pilot.click(f"#{answer}")


# --- reading


async def test_the_reading_view_shows_all_and_enter_goes_to_write_there(novel: Manuscript) -> None:
    (novel.folder / novel.chapters[1].path).write_text("# The Lighthouse\n\nDark.\n")
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.action_read_book()
        await desktop.until(lambda: isinstance(desktop.app.screen, ReadingSheet))
        sheet = desktop.app.screen
        assert isinstance(sheet, ReadingSheet)
        await desktop.until(lambda: sheet._places)
        assert sheet._editor.text == "# One\n\nIt rained. The ship came in.\n\n\n# The Lighthouse\n\nDark."
        signs = sheet._editor.get_component_rich_style("editor--markup")
        assert signs.color == signs.bgcolor, "signs of Markdown are not seen"
        await desktop.press("x")
        assert "x" not in sheet._editor.text
        await desktop.press("n", "right", "enter")
        await desktop.until(lambda: desktop.page.chapter.number == 2 and desktop.page.editor.cursor == 1)


async def test_a_replacing_that_gets_no_answer_does_not_block_the_next_one(novel: Manuscript) -> None:
    (novel.folder / novel.chapters[1].path).write_text("A ship.\n")
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        for number in (1, 2):
            desktop.screen.replace_in_book(compile(Query("ship")), "boat", (novel.chapters[1].path,))
            await desktop.until(lambda number=number: len(desk.given(ArrangeOrder)) == number)
            desk.report(GenerationFailed("", 0, "Something went wrong inside writer."))
            await desktop.until(lambda: desktop.screen._replacing and desktop.screen._replacing.done)
