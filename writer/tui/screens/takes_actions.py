"""Takes: several texts for one place, compared and chosen; several chapters at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.language import many, say, together
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.runtime.events import DeskOpened, Event
    from writer.runtime.takes import Take
    from writer.tui.command import Command
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen
    from writer.tui.takes.board import Board
    from writer.tui.takes.ordering import Ordering
    from writer.tui.takes.placing_takes import Put
    from writer.tui.takes.takes_sheet import TakesSheet
    from writer.tui.writing import Writing

_SEE = "see"


class TakesActions(Screen[None]):
    """The part of the main screen that concerns takes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "takes", show=False, id="takes"),
        Binding("alt+g", "retry", show=False, id="retry"),
    ]
    _board: Board | None = None
    _sheet: TakesSheet | None = None
    _choosing = ""
    """A take that is being paused in order to be chosen."""
    put: Put | None = None
    """The take that stands where the last one was chosen."""
    _ordering: Ordering | None = None

    def __init__(self) -> None:
        super().__init__()
        self.puts: dict[str, Put] = {}

    @property
    def _desktop(self) -> ManuscriptScreen:
        """The main screen, of which this is a part."""
        return cast("ManuscriptScreen", self)

    @property
    def board(self) -> Board:
        """What is known of the texts beside the chapters."""
        if self._board is None:
            from writer.tui.takes.board import Board

            self._board = Board()
        return self._board

    def takes_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        if (page := self._desktop.page) and not (page.only_read or page.beside):
            yield (
                say("Takes"),
                say("The takes of this chapter, side by side, and all its texts as a tree"),
                self.action_takes,
            )
            yield say("Retry"), say("Write the last text anew; the former stays as a take"), self.action_retry
            yield (
                say("Continue from here as a new take"),
                say("From the cursor, in generated text"),
                self.action_from_here,
            )
            yield say("Write takes"), say("Several texts at once at the end of this chapter"), self.action_new_takes
        yield say("Write chapters"), say("Several chapters at once, and how far each is"), self.action_write_chapters

    def more_parts(self, told: Writing) -> list[str]:
        """For the status line: how much is being written besides what it tells of."""
        others = sum(writing is not told for writing in self._desktop.writings.busy)
        takes = self._board.writing if self._board is not None else 0
        beside = many("{count} take being written", "{count} takes being written", takes) if takes else ""
        return [say("{others} more", others=others) if others else "", beside]

    def takes_heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        from writer.runtime.events import AsideBegun, DeskOpened, TakesListed

        if isinstance(event, DeskOpened):
            self._offer_takes(event)
        if self._board is None and not isinstance(event, AsideBegun | TakesListed):
            return
        if chapter := self.board.heard(event, time.monotonic()):
            self._desktop.desk.takes(chapter)
        if self._ordering is not None and isinstance(event, TakesListed):
            self._ordering.listed(event.chapter)
        if self._choosing and isinstance(event, TakesListed) and not self.board.busy(self._choosing):
            generation, self._choosing = self._choosing, ""
            self._choose(generation)

    # Pausing --------------------------------------------------------------------------------------------------

    def pause(self, writing: Writing) -> None:
        """Pause this chapter. What is written elsewhere goes on."""
        screen = self._desktop
        if not writing.busy:
            return
        writing.pausing = True
        if screen.writings.busy == [writing] and not screen.beside:
            screen.desk.pause()
        elif writing.generation:
            screen.desk.pause(writing.generation)
        else:
            screen.desk.pause(chapter=writing.chapter)
        screen.show_state()

    def action_pause_all(self) -> None:
        """Pause all that is being written, in chapters and beside them."""
        screen = self._desktop
        for writing in screen.writings.busy:
            writing.pausing = True
        screen.desk.pause()
        screen.show_state()

    # The sheet ------------------------------------------------------------------------------------------------

    def action_takes(self, chapter: str = "") -> None:
        """Show the takes of this chapter, or of the one that is shown."""
        screen, page = self._desktop, self._desktop.page
        path = chapter or (page.chapter.path if page and page.chapter.number else "")
        found = screen.named(path)
        if found is None:
            screen.complain(screen.opening.why_none(), "information")
            return
        from writer.tui.takes.takes_sheet import TakesSheet

        screen.desk.takes(path)
        self._sheet = TakesSheet(self, path, found.title)
        self.app.push_screen(self._sheet, self._answered)

    def _answered(self, answer: tuple[str, str] | None) -> None:
        from writer.tui.takes.takes_sheet import CHOOSE

        self._sheet = None
        if answer is not None:
            what, generation = answer
            if what == CHOOSE:
                self._choose(generation)
            elif take := self.board.take(generation):
                self.ordering.ask_after(take)

    def turn_take(self, take: Take) -> None:
        """Pause it, or go on with it."""
        if self.board.busy(take.generation):
            self._desktop.desk.pause(take.generation)
        elif take.state.resumable and not take.inside:
            self._desktop.desk.go_on(take.generation)
        else:
            self._desktop.complain(
                say("This text has ended. Press c to go on from its end with new takes."), "information"
            )

    def action_write_chapters(self) -> None:
        """Show which chapters are being written, and which could be."""
        from writer.tui.takes.progress_sheet import ProgressSheet

        self.app.push_screen(ProgressSheet(self._desktop))

    def action_retry(self) -> None:
        """The text that was written last makes room for another one, and stays as a take."""
        from writer.tui.takes.retrying import retry

        retry(self._desktop)

    # New takes ------------------------------------------------------------------------------------------------

    @property
    def ordering(self) -> Ordering:
        """How new takes are ordered."""
        if self._ordering is None:
            from writer.tui.takes.ordering import Ordering

            self._ordering = Ordering(self)
        return self._ordering

    @property
    def asks_soon(self) -> bool:
        """Whether the question how many takes are wanted is on its way."""
        return self._ordering is not None and self._ordering.waits

    def action_new_takes(self) -> None:
        if (page := self._desktop.page) is not None:
            self.ordering.ask_at_end(page.chapter.path)

    def action_from_here(self) -> None:
        """New takes go on from the cursor, in generated text."""
        self.ordering.ask_here()

    def show_newest(self, chapter: str) -> None:
        """Show the takes that were just ordered, unless the sheet shows another chapter's."""
        if self._sheet is None:
            self.action_takes(chapter)
        elif self._sheet.chapter == chapter:
            self._sheet.newest()

    # Choosing -------------------------------------------------------------------------------------------------

    def _choose(self, generation: str) -> None:
        screen = self._desktop
        if self.board.busy(generation):  # what stands there then is all of it
            self._choosing = generation
            screen.desk.pause(generation)
        elif take := self.board.take(generation):
            if take.inside and not take.chosen:
                screen.complain(say("This text was written into the chapter itself."), "information")
            else:
                work(self, "takes", self._put_in, take)

    async def _put_in(self, take: Take) -> None:
        from writer.tui.takes.placing_takes import room_for

        screen = self._desktop
        await screen.opening.open(take.chapter)
        page = screen.pages.get(take.chapter)
        if page is None or page.legacy is not None:
            return
        if screen.writings.of(take.chapter).busy:
            screen.complain(say("The chapter is being written. Press Ctrl+G to pause it, then choose."), "information")
            return
        text = page.editor.text
        room = await asyncio.to_thread(room_for, take, text, self.put, self.ordering.bases.get(take.of))
        if page.editor.text != text:
            screen.complain(say("The chapter was just being changed. Choose once more."), "information")
        elif room is not None:
            self._put_at(page, take, *room)
        else:
            self._ask_place(page, take)

    def _ask_place(self, page: Page, take: Take) -> None:
        from writer.tui.screens.choice import Choice

        def answered(where: str | None) -> None:
            if where is not None:
                at = page.editor.length if where == "end" else page.editor.cursor
                self._put_at(page, take, at, at)

        lines = [say("The chapter has changed since this take was written."), say("Where should it go?")]
        self.app.push_screen(Choice(lines, (("end", say("At the end")), ("cursor", say("At the cursor")))), answered)

    def _put_at(self, page: Page, take: Take, start: int, end: int) -> None:
        from writer.tui.takes.putting import put_at

        screen = self._desktop
        self.put = self.puts[take.generation] = put_at(screen, page, take, start, end)
        screen.note(say("The take is in the chapter; Ctrl+Z takes it out, Ctrl+G goes on with it"))
        screen.refresh_bindings()

    def put_turned(self, now: str) -> None:
        """Undo or redo has put that take where the last one was chosen; "" is none."""
        self.put = self.puts.get(now)

    # After a crash --------------------------------------------------------------------------------------------

    def _offer_takes(self, event: DeskOpened) -> None:
        paths = [chapter.path for chapter in self._desktop.manuscript.chapters]
        offers = [offer for offer in event.asides if offer.role == "take" and offer.chapter in paths]
        if not offers:
            return
        from writer.tui.takes.offered import offered

        newest = max(offers, key=lambda offer: offer.stopped_at)
        lines = offered([offer for offer in offers if offer.chapter == newest.chapter], len(offers))
        if event.offers:  # those come with a card of their own
            self._desktop.complain(together(*lines[:2]), "information")
            return
        from writer.tui.screens.choice import Choice

        buttons = ((_SEE, say("See them")), ("later", say("Later")))
        card = Choice(lines, buttons)
        self._desktop.opening.unasked.show(
            lambda: self.app.push_screen(
                card, lambda answer: self.action_takes(newest.chapter) if answer == _SEE else None
            )
        )
