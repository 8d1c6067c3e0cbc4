"""Replacing over the whole book: open chapters are changed in their editors, the others through the writing thread."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from writer.editing.find import BadPattern, Finder, Query, compile
from writer.errors import ManuscriptError
from writer.manuscript.chapter_file import ChapterFile
from writer.runtime.events import ChapterSaved, Event, SaveRefused
from writer.runtime.orders import SaveOrder
from writer.tui.book.searching import replaced

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen


_NUMBERED = r"(?:(?:chapter|kapitel|chapitre|cap[ií]tulo)?\s*\d+\s*[.:–—-]?\s+)?"


def in_outline(screen: ManuscriptScreen, old: str, new: str) -> Replacing:
    """The heading of a renamed chapter in the outline becomes its new title."""
    finder = compile(Query(rf"^(##?[ \t]+{_NUMBERED}){re.escape(old)}([ \t#]*)$", regex=True))
    return Replacing(screen, finder, rf"\g<1>{new.replace(chr(92), chr(92) * 2)}\g<2>", quiet=True)


class Replacing:
    """One replace-all: it orders, hears the answers, and tells once what came of it."""

    def __init__(self, screen: ManuscriptScreen, finder: Finder, new: str, *, quiet: bool = False) -> None:
        """`quiet` tells only what could not be done."""
        self._screen = screen
        self._quiet = quiet
        self._finder = finder
        self._new = new
        self._waiting: dict[tuple[str, int], int] = {}
        """Places in each chapter that is not open, by chapter and serial, until its save is answered."""
        self._done: dict[str, int] = {}
        self._left: list[str] = []
        self._all_ordered = False

    async def run(self, paths: Sequence[str]) -> None:
        """Replace in these chapters."""
        for path in paths:
            try:
                await self._in_chapter(path)
            except BadPattern as error:
                self._left.append(error.sentence)
                break
            except ManuscriptError as error:
                self._left.append(error.sentence)
        self._all_ordered = True
        self._tell_if_done()

    async def _in_chapter(self, path: str) -> None:
        screen = self._screen
        if path not in screen.pages and path in screen.offers:  # its text is known by its place, which editors keep
            await screen.opening.load(path)
        if page := screen.pages.get(path):
            self._in_editor(page)
            return
        file = ChapterFile(screen.manuscript.folder / path, root=screen.manuscript.folder)
        loaded = await asyncio.to_thread(file.read)
        text, count = await asyncio.to_thread(replaced, self._finder, loaded.text, self._new)
        if page := screen.pages.get(path):  # opened meanwhile
            self._in_editor(page)
        elif text != loaded.text:
            serial = screen.keeping.serial()
            self._waiting[path, serial] = count
            screen.desk.opened(path, loaded)
            screen.desk.save(SaveOrder(path, text, serial))

    def _in_editor(self, page: Page) -> None:
        page.buffer.flush()
        text = page.editor.text
        matches = self._finder.all(text)
        if page.editor.read_only:
            self._left.append(f"Chapter {page.chapter.number} can only be read, so it stays as it is.")
        elif matches:
            page.editor.change(self._finder.changes(text, matches, self._new))
            self._done[page.chapter.path] = len(matches)
            self._screen.keeping.save(page)

    # Answers --------------------------------------------------------------------------------------------------

    def heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        if isinstance(event, ChapterSaved | SaveRefused) and (event.chapter, event.serial) in self._waiting:
            if isinstance(event, SaveRefused):
                self._left.append(event.sentence)
                if event.kept_as:  # the text is in the chapter all the same, and that is told next
                    return
            count = self._waiting.pop((event.chapter, event.serial))
            if isinstance(event, ChapterSaved):
                self._done[event.chapter] = count
            self._tell_if_done()

    @property
    def done(self) -> bool:
        """Whether every answer has come."""
        return self._all_ordered and not self._waiting

    def _tell_if_done(self) -> None:
        if self.done:
            count, chapters = sum(self._done.values()), len(self._done)
            if not self._quiet and (count or not self._left):
                self._screen.complain(f"Replaced {count:,} places in {chapters} chapters.", "information")
            for sentence in self._left[:3]:
                self._screen.complain(sentence, "warning")
