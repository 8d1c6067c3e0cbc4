"""The whole book: chapters, notes, outline, search, goals."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.errors import WriterError
from writer.language import say
from writer.tui.working import work, work_anew

if TYPE_CHECKING:
    from writer.editing.find import Finder
    from writer.manuscript.chapter_facts import ChapterFacts
    from writer.manuscript.model import Chapter, Manuscript
    from writer.runtime.events import Event
    from writer.tui.book.arranging import Arranging
    from writer.tui.book.goals import Day
    from writer.tui.book.replacing import Replacing
    from writer.tui.book.searching import Hit
    from writer.tui.book.summarising import Summaries
    from writer.tui.command import Command
    from writer.tui.opening import Opening
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen

OUTLINE = "outline.md"
_COUNTED, _LOOK = 1.0, 600.0
"""Seconds after which the writing thread has counted the book, and between looks: a new day may have begun."""


class BookActions(Screen[None]):
    """The part of the main screen that concerns the book."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+o", "chapters", show=False, id="chapters"),
        Binding("f10", "search_book", show=False, id="search_book"),
    ]
    manuscript: Manuscript
    pages: dict[str, Page]
    page: Page | None
    opening: Opening
    only_reads: bool
    last_search = ""  # what was looked for in the book last
    _replacing: Replacing | None = None
    _arranging: Arranging | None = None
    _summaries: Summaries | None = None
    _day: Day | None = None
    _unread = ""
    """Why writer.toml or the history could not be read, as it was told last."""

    def __init__(self) -> None:
        super().__init__()
        self.facts: dict[str, ChapterFacts] = {}
        """What writer.toml says of chapters, by path."""
        self.texts: dict[str, Chapter] = {}  # by path: texts beside the chapters that were opened; their number is 0

    def complain(self, sentence: str, severity: str = "error") -> None:
        """Show one sentence for a while."""
        raise NotImplementedError

    def open_chapter(self, path: str) -> None:
        """Show this chapter."""
        raise NotImplementedError

    @property
    def _main(self) -> ManuscriptScreen:
        """The main screen, of which this is a part."""
        return cast("ManuscriptScreen", self)

    def named(self, path: str) -> Chapter | None:
        """The chapter of that path, or the text beside the chapters that was opened; None if there is none."""
        found = (chapter for chapter in self.manuscript.chapters if chapter.path == path)
        return next(found, self.texts.get(path))

    @property
    def arranging(self) -> Arranging:
        """Changes of whole chapters."""
        if self._arranging is None:
            from writer.tui.book.arranging import Arranging

            self._arranging = Arranging(self._main)
        return self._arranging

    @property
    def summaries(self) -> Summaries:
        """Summaries of chapters by the model."""
        if self._summaries is None:
            from writer.tui.book.summarising import Summaries

            self._summaries = Summaries(self._main)
        return self._summaries

    @property
    def rearranged(self) -> bool:
        """Whether chapters are being changed just now: nothing is begun in them meanwhile."""
        return self._arranging is not None and self._arranging.busy

    def book_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        if self.page is not None and self.page.chapter.number:
            yield from self._chapter_commands(self.page.chapter.path)
        if self._summaries is not None and self._summaries.busy:
            yield say("Pause the summary"), say("Asked for again, it goes on at its next word"), self._summaries.pause
        yield say("Words of each day"), say("What was written, day by day; the goal of the day"), self.action_days
        yield say("Goal of the day"), say("How many words you want to write in a day"), self.arranging.day_goal
        yield say("Chapters"), say("The book: status, words, synopsis; arrange chapters"), self.action_chapters
        yield say("Outline"), say("Open outline.md, what happens in each chapter"), self.open_outline
        yield say("Notes"), say("Characters, places, threads, and all other texts"), self.action_notes
        yield say("Search the book"), say("Find in all chapters, and replace"), self.action_search_book
        yield say("Reading view"), say("Read the whole book, chapter after chapter"), self.action_read_book

    def _chapter_commands(self, path: str) -> Iterator[Command]:
        arranging = self.arranging
        yield say("Rename the chapter"), say("Its title, and the name of its file"), lambda: arranging.rename(path)
        yield (
            say("Status of the chapter"),
            say("The next of idea, draft, revised, done"),
            lambda: arranging.status(path),
        )
        yield say("Move the chapter up"), say("In front of the one before"), lambda: arranging.up(path)
        yield say("Move the chapter down"), say("Behind the next one"), lambda: arranging.down(path)
        yield say("Split the chapter"), say("What stands behind the cursor becomes the next chapter"), arranging.split
        yield say("Merge with the next chapter"), say("Two chapters become one"), lambda: arranging.merge(path)
        yield say("Part of the chapter"), say("Which part of the book it belongs to"), lambda: arranging.part(path)
        yield (
            say("Summary of the chapter"),
            say("What happens in it, by the model; shown, to be edited"),
            lambda: self.summaries.ask(path),
        )
        yield say("Goal of the chapter"), say("How many words it is to have"), lambda: arranging.goal(path)

    def book_heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        from writer.runtime.events import ArrangeRefused, ChaptersArranged, ChapterSaved, DeskOpened, GenerationFailed

        match event:
            case DeskOpened():
                self.read_facts()
                self.set_timer(_COUNTED, self.read_facts)
                self.set_interval(_LOOK, self.read_facts)
            case ChaptersArranged() | ArrangeRefused():
                self.arranging.heard(event)
            case GenerationFailed() if self._arranging is not None:
                self._arranging.heard(event)
            case ChapterSaved(chapter=chapter) if self._day and self._day.lacks(chapter) and chapter not in self.texts:
                self.set_timer(_COUNTED, self.read_facts)
        if self._replacing is not None:
            self._replacing.heard(event)
        left = isinstance(event, DeskOpened) and any(offer.role == "summary" for offer in event.asides)
        if left or self._summaries is not None:
            self.summaries.heard(event)

    def read_facts(self) -> None:
        """Read again what writer.toml says of chapters; what shows it follows."""
        work_anew(self, "facts", self._read_facts)

    async def _read_facts(self) -> None:
        from writer.manuscript.chapter_facts import read_facts
        from writer.tui.book.goals import read_day

        try:
            self.facts = await asyncio.to_thread(read_facts, self.manuscript.folder)
            self._day = await asyncio.to_thread(read_day, self.manuscript)
        except WriterError as error:
            if error.sentence != self._unread:
                self._unread = error.sentence
                self.complain(error.sentence, "warning")
        if not self.query("#status"):
            return  # the screen has been left meanwhile
        self._main.show_state()
        for screen in self.app.screen_stack:
            if refresh := getattr(screen, "refresh_rows", None):
                refresh()

    def word_parts(self) -> list[str]:
        """For the status line: the words of the text that is shown and of today, against their goals."""
        if self.page is None:
            return []
        count, said = self.page.editor.count, self.facts.get(self.page.chapter.path)
        if said and said.goal and (words := self.page.editor.words) >= 0:
            count = say("{words:,} of {goal:,} words", words=words, goal=said.goal)
        if self.page.beside:
            count = f"{self.page.chapter.path}, {count}"
        now = {path: page.editor.words for path, page in self.pages.items() if page.editor.words >= 0}
        summary = self._summaries.part() if self._summaries is not None else ""
        return [count, self._day.told(now) if self._day else "", summary]

    # Sheets ---------------------------------------------------------------------------------------------------

    def action_chapters(self) -> None:
        from writer.tui.book.chapters_sheet import ChaptersSheet

        self.app.push_screen(ChaptersSheet(self._main))

    def action_notes(self) -> None:
        from writer.tui.book.notes_sheet import NotesSheet

        self.app.push_screen(NotesSheet(self._main), self.open_text)

    def action_days(self) -> None:
        from writer.tui.book.days_sheet import DaysSheet

        self.app.push_screen(DaysSheet(self._main))

    def action_read_book(self) -> None:
        from writer.tui.book.reading_sheet import ReadingSheet

        self.app.push_screen(ReadingSheet(self._main), self._go_to)

    def _go_to(self, place: tuple[str, int] | None) -> None:
        if place is not None:
            work(self, "open", self._show_place, place[0], place[1], place[1])

    async def _show_place(self, path: str, start: int, end: int) -> None:
        await self.opening.open(path)
        if self.page is not None and self.page.chapter.path == path:
            self.page.editor.select(start, end)
            self.page.editor.reveal()

    def show_beginning(self, path: str) -> None:
        """Open a chapter that has just been made, below its heading."""
        work(self, "open", self._show_beginning, path)

    async def _show_beginning(self, path: str) -> None:
        await self.opening.open(path)
        if self.page is not None and self.page.chapter.path == path:
            head = re.match(r"#[^\n]*\n*", self.page.editor.text)
            self.page.editor.move_to(head.end() if head else 0)

    # Texts beside the chapters --------------------------------------------------------------------------------

    def open_outline(self) -> None:
        """Open outline.md at the chapter that is shown; it is made if it is not there."""
        work(self, "open", self._open_outline)

    async def _open_outline(self) -> None:
        from writer.manuscript.model import Chapter
        from writer.manuscript.note_templates import make_outline

        title = self.page.chapter.title if self.page and self.page.chapter.number else ""
        try:
            if not self.only_reads:
                await asyncio.to_thread(make_outline, self.manuscript.folder)
        except WriterError as error:
            self.complain(error.sentence)
            return
        self.texts.setdefault(OUTLINE, Chapter(0, OUTLINE, OUTLINE))
        await self.opening.open(OUTLINE)
        if self.page and self.page.chapter.path == OUTLINE and (at := _heading(self.page.editor.text, title)) >= 0:
            self.page.editor.move_to(at)
            self.page.editor.scroll_to_offset(at)

    def open_text(self, path: str | None) -> None:
        """Open a text beside the chapters in the editor, with the same care."""
        if path is not None:
            from writer.manuscript.model import Chapter

            self.texts.setdefault(path, Chapter(0, path, path))
            self.open_chapter(path)

    # Search and replace ---------------------------------------------------------------------------------------

    def action_search_book(self) -> None:
        from writer.tui.book.search_sheet import SearchSheet

        chosen = self.page.editor.sheet.selected_text() if self.page else ""
        self.app.push_screen(SearchSheet(self._main, chosen or self.last_search), self._go_to_hit)

    def _go_to_hit(self, hit: Hit | None) -> None:
        if hit is not None:
            work(self, "open", self._show_place, hit.path, hit.match.start, hit.match.end)

    def replace_in_book(self, finder: Finder, new: str, paths: tuple[str, ...]) -> None:
        """Replace every match in these chapters."""
        from writer.tui.book.replacing import Replacing

        if self.only_reads:
            self.complain(say("This window only reads: replace in the one that writes."), "information")
            return
        if self._replacing is not None and not self._replacing.done:
            self.complain(say("The last replacing is not done yet. Try again in a moment."), "information")
            return
        self._replacing = Replacing(self._main, finder, new)
        work(self, "replace", self._replacing.run, paths)


def _heading(text: str, title: str) -> int:
    """Where the line behind that heading begins; -1 if there is none."""
    at = 0
    for line in text.split("\n"):
        at = min(len(text), at + len(line) + 1)
        if title and line.startswith("#") and line.strip("# \t").casefold() == title.casefold():
            return at
    return -1
