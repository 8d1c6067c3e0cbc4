"""Replacing over the whole book: in the editors of what is open, in one change of all chapters that are not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from writer.editing.find import BadPattern, Finder
from writer.errors import ManuscriptError
from writer.language import many, say
from writer.manuscript import chapter_plans
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.edits import Edit
from writer.runtime.events import ArrangeRefused, ChaptersArranged, ChapterSaved, Event, GenerationFailed, SaveRefused
from writer.runtime.orders import ArrangeOrder, SaveOrder
from writer.tui.book.searching import replaced

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen


class Replacing:
    """One replace-all: it orders, hears the answers, and tells once what came of it."""

    def __init__(self, screen: ManuscriptScreen, finder: Finder, new: str) -> None:
        self._screen = screen
        self._finder = finder
        self._new = new
        self._tag = f"replace {screen.keeping.serial()}"
        self._waiting: set[str | int] = set()
        """The tag, or the serial of a save, until it is answered."""
        self._done: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._left: list[str] = []
        self._all_ordered = False

    async def run(self, paths: Sequence[str]) -> None:
        """Replace in these texts. All chapters that are not open are one change: of all of them, or of none."""
        chapters = {chapter.path for chapter in self._screen.manuscript.chapters}
        closed: list[str] = []
        try:
            for path in paths:
                if path not in self._screen.pages and path in self._screen.offers:
                    await self._screen.opening.load(path)  # the place of paused text is known best by an editor
                if page := self._screen.pages.get(path):
                    self._in_editor(page)
                elif path in chapters:
                    closed.append(path)
                else:
                    await self._in_file(path)
            if closed:
                self._waiting.add(self._tag)
                self._screen.desk.arrange(ArrangeOrder(self._tag, lambda book: self._plan(book, closed)))
        except (BadPattern, ManuscriptError) as error:
            self._left.append(error.sentence)
        self._all_ordered = True
        self._tell_if_done()

    def _in_editor(self, page: Page) -> None:
        page.buffer.flush()
        text = page.editor.text
        matches = self._finder.all(text)
        if page.editor.read_only:
            self._left.append(
                say("Chapter {number} can only be read, so it stays as it is.", number=page.chapter.number)
            )
        elif matches:
            page.editor.change(self._finder.changes(text, matches, self._new))
            self._done[page.chapter.path] = len(matches)
            self._screen.keeping.save(page)

    def _plan(self, book: Book, paths: Sequence[str]) -> Arrangement:
        """Made in the writing thread."""
        counts: dict[str, int] = {}

        def edits(text: str) -> tuple[Edit, ...]:
            matches = self._finder.all(text)
            changes = self._finder.changes(text, matches, self._new)
            counts[f"closed {len(counts)}"] = len(matches)
            return tuple((change.at, change.removed, change.inserted) for change in changes)

        plan = chapter_plans.rewritten(book, edits, paths)
        self._counts = counts
        return plan

    async def _in_file(self, path: str) -> None:
        """In a text beside the chapters, by a save."""
        screen = self._screen
        file = ChapterFile(screen.manuscript.folder / path, root=screen.manuscript.folder)
        loaded = await asyncio.to_thread(file.read)
        text, count = await asyncio.to_thread(replaced, self._finder, loaded.text, self._new)
        if page := screen.pages.get(path):  # opened meanwhile
            self._in_editor(page)
        elif text != loaded.text:
            serial = screen.keeping.serial()
            self._waiting.add(serial)
            self._done[path] = count
            screen.desk.opened(path, loaded)
            screen.desk.save(SaveOrder(path, text, serial))

    # Answers --------------------------------------------------------------------------------------------------

    def heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        match event:
            case ChaptersArranged(tag=tag) if tag in self._waiting:
                self._done |= self._counts
                self._answered(tag)
            case ArrangeRefused(tag=tag) if tag in self._waiting:  # why is told by whoever hears of all changes
                self._answered(tag)
            case GenerationFailed(generation="", chapter="", tag="") if self._waiting:  # no answer will come
                self._waiting.clear()
                self._tell_if_done()
            case SaveRefused(serial=serial, sentence=sentence) if serial in self._waiting:
                self._left.append(sentence)
                if not event.kept_as:  # else the text is in the file all the same, and that is told next
                    self._done.pop(event.chapter, None)
                    self._answered(serial)
            case ChapterSaved(serial=serial) if serial in self._waiting:
                self._answered(serial)

    def _answered(self, waited: str | int) -> None:
        self._waiting.discard(waited)
        self._tell_if_done()

    @property
    def done(self) -> bool:
        """Whether every answer has come."""
        return self._all_ordered and not self._waiting

    def _tell_if_done(self) -> None:
        if self.done:
            count, chapters = sum(self._done.values()), sum(map(bool, self._done.values()))
            if count:
                told = say(
                    "Replaced {places} in {chapters}.",
                    places=many("{count:,} place", "{count:,} places", count),
                    chapters=many("{count:,} chapter", "{count:,} chapters", chapters),
                )
                self._screen.complain(told, "information")
            for sentence in self._left[:3]:
                self._screen.complain(sentence, "warning")
