"""New chapters: where they come to stand, and who waits for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from writer.language import say
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book
from writer.manuscript.outline_plans import added_where_it_belongs
from writer.text.sanitise import one_line
from writer.tui.screens.ask import Ask

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen


class Order(Protocol):
    """Orders a change of chapters: its tag; "" if it is refused at once, and the author was told."""

    def __call__(self, plan: Callable[[Book], Arrangement], *, show_new: bool = False) -> str:
        """`show_new` shows the chapter that is new then."""
        ...


class Adding:
    """The chapters that are made on one screen, all by way of changes of chapters."""

    def __init__(self, screen: ManuscriptScreen, order: Order) -> None:
        self._screen = screen
        self._order = order
        self._awaited: dict[str, asyncio.Future[str]] = {}  # by tag: the path of a chapter that is being made

    def ask(self, behind: str) -> None:
        """Ask for the title of a chapter that is to stand behind that one; at the end if that is no chapter."""
        chapters = self._screen.manuscript.chapters
        usual = say("Chapter {number}", number=len(chapters) + 1)
        before = next((chapter.title for chapter in chapters[:-1] if chapter.path == behind), "")
        hint = say("Enter makes it at the end, or where the outline has it; Escape goes back.")
        if before:
            hint = say(
                "Enter makes it behind “{title}”, or where the outline has it; Escape goes back.",
                title=one_line(before, 40),
            )
        self._screen.app.push_screen(
            Ask(say("Title of the new chapter"), hint),
            lambda title: self.add(title or usual, behind) if title is not None else None,
        )

    def add(self, title: str, behind: str = "") -> None:
        """Make a chapter where the outline has it, else behind that one, or at the end; and show it."""
        self._order(lambda book: added_where_it_belongs(book, title, behind), show_new=True)

    async def made(self, title: str) -> str:
        """The path of a chapter that is made where the outline has it; "" if it could not be made, which is told."""
        tag = self._order(lambda book: added_where_it_belongs(book, title))
        if not tag:
            return ""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._awaited[tag] = answer
        return await answer

    def answered(self, tag: str, path: str) -> None:
        """The order was answered: a chapter was made there; "" for none."""
        answer = self._awaited.pop(tag, None)
        if answer is not None and not answer.done():
            answer.set_result(path)
