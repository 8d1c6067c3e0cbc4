"""The reading view: the whole book, chapter after chapter, at the width of the text. Nothing can be changed in it."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Chapter, Manuscript
from writer.tui.book.sheet import Sheet
from writer.tui.editor.widget import Editor
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen

_BETWEEN = "\n\n\n"


def whole_book(manuscript: Manuscript, open_texts: Mapping[str, str]) -> tuple[str, list[tuple[int, Chapter]]]:
    """All chapters as one text, and where each begins. Reads files; what cannot be read is a sentence in its place."""
    parts, places, at = [], [], 0
    for chapter in manuscript.chapters:
        text = open_texts.get(chapter.path)
        if text is None:
            try:
                text = ChapterFile(manuscript.folder / chapter.path, root=manuscript.folder).read().text
            except ManuscriptError as error:
                text = error.sentence
        text = text.rstrip("\n")
        parts.append(text)
        places.append((at, chapter))
        at += len(text) + len(_BETWEEN)
    return _BETWEEN.join(parts), places


class ReadingSheet(Sheet[tuple[str, int]]):
    """Returns the chapter's path and the place in it, for the author who wants to write where he has read."""

    KEYS: ClassVar[str] = say("PgUp PgDn read · n next chapter · b chapter before · Enter write here · Esc back")
    DEFAULT_CSS = "ReadingSheet Editor { & .editor--markup { color: $background; } }"  # the signs only take their room
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "write_here", say("Write here"), priority=True),
        Binding("n", "chapter(1)", say("Next chapter"), priority=True),
        Binding("b", "chapter(-1)", say("Chapter before"), priority=True),
        Binding("space", "page_down", say("Page"), priority=True),
    ]

    def __init__(self, screen: ManuscriptScreen) -> None:
        super().__init__(say("Reading view"))
        self._screen = screen
        self._editor = Editor(settings=replace(screen.editing, typewriter=False, focus=False))
        self._editor.read_only = True
        self._places: list[tuple[int, Chapter]] = []

    def body(self) -> Widget:
        return self._editor

    def on_mount(self) -> None:
        self._editor.focus()
        work(self, "read", self._read)

    async def _read(self) -> None:
        screen = self._screen
        open_texts = {path: page.editor.text for path, page in screen.pages.items()}
        text, self._places = await asyncio.to_thread(whole_book, screen.manuscript, open_texts)
        self._editor.load(text)
        page = screen.page
        if page is not None:
            start = next((at for at, chapter in self._places if chapter.path == page.chapter.path), 0)
            self._go(start + min(page.editor.cursor, page.editor.length) if start or page.chapter.number == 1 else 0)
        self.set_interval(0.5, self._tell)

    def _tell(self) -> None:
        if (chapter := self._here()[1]) is not None:
            self.entitle(f"{self._screen.manuscript.title} · {chapter.number} {chapter.title}")

    def _here(self) -> tuple[int, Chapter | None]:
        """Where the chapter begins in which the cursor stands, and that chapter."""
        at = bisect_right([start for start, _ in self._places], self._editor.cursor) - 1
        return self._places[at] if self._places else (0, None)

    def _go(self, offset: int) -> None:
        self._editor.move_to(offset)
        self._editor.scroll_to_offset(offset)
        self._tell()

    def action_chapter(self, step: int) -> None:
        starts = [start for start, _ in self._places]
        if starts:
            at = bisect_right(starts, self._editor.cursor) - 1 + step
            self._go(starts[max(0, min(at, len(starts) - 1))])

    def action_page_down(self) -> None:
        self._editor.action_move("page_down")
        self._go(self._editor.cursor)

    def action_write_here(self) -> None:
        start, chapter = self._here()
        if chapter is not None:
            self.dismiss((chapter.path, self._editor.cursor - start))
