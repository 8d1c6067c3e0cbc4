"""New takes from the key to the order: where they go on, how many, what should happen. Never waits for the engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from writer.language import say
from writer.runtime.takes import Take, digest
from writer.tui.takes.asking import AskTakes
from writer.tui.takes.beginnings import GONE_ON, Beginning, after, at_cursor, at_end, generated_at, inside
from writer.tui.takes.placing_takes import room_for
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.takes_actions import TakesActions

_KEPT_TEXTS = 8
"""Texts of chapters that takes were written for, kept to find their place again."""
_READS = say("This window only reads: write takes in the one that writes.")
_BUSY = say("This chapter is being written. Press Ctrl+G to pause it, then try again.")
_NO_TEXT = say("No generated text stands at the cursor. Put the cursor into one, then try again.")
_MOVED = say("The chapter was just being changed. Try once more.")
_CHANGED = say(
    "This text has been changed in the chapter. Put the cursor there where it should go on, "
    "and choose Continue from here in Ctrl+P."
)
_NO_PROSE = say(
    "This text answers a request of yours, so it is not gone on with. Choose a take or a text of the chapter."
)


class Ordering:
    """Asks, and gives the orders."""

    def __init__(self, screen: TakesActions) -> None:
        self._screen = screen
        self._desktop = screen._desktop
        self.bases: dict[str, str] = {}
        """Texts of chapters by their digest."""
        self._orders = 0
        self._from: tuple[Page, int, int] | None = None
        """Where the author wants to go on from, until the chapter's texts are listed: page, revision, cursor."""

    # Where ----------------------------------------------------------------------------------------------------

    def ask_at_end(self, chapter: str) -> None:
        """Takes at the end of the chapter."""
        work(self._screen, "takes", self._at_end, chapter)

    def ask_after(self, take: Take, characters: int | None = None) -> None:
        """Takes that go on behind that take, or after so many characters of it."""
        if take.role not in GONE_ON:
            self._tell(_NO_PROSE)
        else:
            work(self._screen, "takes", self._after, take, characters)

    def ask_here(self) -> None:
        """Takes that go on from the cursor, which stands in generated text. Its chapter's texts are asked for."""
        page = self._desktop.page
        why = (page.only_read or page.beside) if page else self._desktop.opening.why_none()
        if page is None or why:
            self._tell(why)
        elif self._desktop.only_reads:
            self._tell(_READS)
        elif self._desktop.writings.of(page.chapter.path).busy:
            self._tell(_BUSY)
        elif generated_at(page.editor.sheet.origins, page.editor.cursor) is None:
            self._tell(_NO_TEXT)
        else:
            self._from = page, page.editor.revision, page.editor.cursor
            self._desktop.desk.takes(page.chapter.path)

    @property
    def waits(self) -> bool:
        """Whether it will be asked once the texts of the chapter are known."""
        return self._from is not None

    def listed(self, chapter: str) -> None:
        """The texts of a chapter are known."""
        if self._from is None or self._from[0].chapter.path != chapter:
            return
        (page, revision, cursor), self._from = self._from, None
        found = generated_at(page.editor.sheet.origins, cursor)
        if found is None or (page.editor.revision, page.editor.cursor) != (revision, cursor):
            self._tell(_MOVED)
        else:
            self._ask(chapter, at_cursor(found, page.editor.text, cursor, self._screen.board.take))

    async def _at_end(self, chapter: str) -> None:
        if (page := await self._page(chapter)) is not None:
            self._ask(chapter, at_end(page.editor.text))

    async def _after(self, take: Take, characters: int | None) -> None:
        if (page := await self._page(take.chapter)) is None:
            return
        text = page.editor.text
        room = await asyncio.to_thread(room_for, take, text, self._screen.put, self.bases.get(take.of))
        made = after(take, text, room) if characters is None else inside(take, characters, text, room)
        if made is None:
            self._tell(_CHANGED)
        else:
            self._ask(take.chapter, made)

    async def _page(self, chapter: str) -> Page | None:
        """The chapter with all that is on its way; None, and a sentence, if nothing can be written for it."""
        page = None if self._desktop.only_reads else await self._desktop.opening.load(chapter)
        if page is None or (why := page.only_read or page.beside):
            self._tell(_READS if self._desktop.only_reads else why if page else say("The chapter cannot be read."))
            return None
        page.buffer.flush()
        return page

    # How many -------------------------------------------------------------------------------------------------

    def _ask(self, chapter: str, made: Beginning) -> None:
        self._desktop.desk.warm_up()
        self._screen.app.push_screen(AskTakes(made.where, made.note), lambda answer: self._order(chapter, made, answer))

    def _order(self, chapter: str, made: Beginning, answer: tuple[int, str] | None) -> None:
        page = self._desktop.pages.get(chapter)
        if answer is None or page is None:
            return
        page.buffer.flush()
        if made == at_end(made.of):  # the chapter may have been written on while he was asked
            made = at_end(page.editor.text)
        self.bases = dict(list(self.bases.items())[1 - _KEPT_TEXTS :]) | {digest(made.of): made.of}
        self._orders += 1
        tag = f"take {self._orders}"
        self._screen.board.order(tag, chapter, answer[0])
        self._desktop.desk.aside(made.order(tag, chapter, *answer))
        self._screen.show_newest(chapter)

    def _tell(self, sentence: str) -> None:
        self._desktop.complain(sentence, "information")
