"""Several chapters at once: which of them are to be written, and how far each is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from writer.errors import WriterError
from writer.language import many, say
from writer.text.count import words
from writer.text.sanitise import one_line
from writer.tui.book.overview import Row, read_overview
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.calmed import calm_at
from writer.tui.working import work, work_anew
from writer.tui.writing import Phase

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen

_FRAME = 0.5
"""Seconds between two looks at what has been written."""
_NEW = "new:"
"""Before the title of a chapter that only the outline has: the row's name."""


class ProgressSheet(Sheet[None]):
    """Chapters are chosen with space, and written at once. Leaving it leaves them writing."""

    KEYS: ClassVar[str] = say(
        "Space choose · e every empty one · w write them · g pause, go on · p pause all · r go on with those, or all · "
        "Enter open · Esc back"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", show=False),
        Binding("e", "every_empty", show=False),
        Binding("w", "write", show=False),
        Binding("g", "turn", show=False),
        Binding("p", "pause_all", show=False),
        Binding("r", "go_on_all", show=False),
    ]

    def __init__(self, screen: ManuscriptScreen) -> None:
        super().__init__(say("Write chapters"))
        self._screen = screen
        self._rows = Rows()
        self._book: tuple[Row, ...] = ()
        self._chosen: set[str] = set()

    def body(self) -> Widget:
        return self._rows

    def on_mount(self) -> None:
        self._rows.focus()
        self.set_interval(calm_at(self.app).pace(_FRAME), self.look)
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Read the book again."""
        work_anew(self, "read", self._read)

    async def _read(self) -> None:
        screen = self._screen
        texts = {path: page.editor.text for path, page in screen.pages.items()}
        try:
            book = await asyncio.to_thread(read_overview, screen.manuscript.folder, texts)
        except WriterError as error:
            screen.complain(error.sentence, "warning")
            return
        self._book = book.rows
        self.look()

    # Showing --------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Show how far each is now."""
        if not self._book:
            return
        self._rows.fill([(_name(row), self._row(row)) for row in self._book])
        writing, chosen = len(self._screen.writings.busy), len(self._chosen)
        parts = [
            say("Write chapters"),
            say("{count} being written", count=writing) if writing else "",
            say("{count} chosen", count=chosen) if chosen else "",
        ]
        self.entitle(" · ".join(filter(None, parts)))

    def _row(self, row: Row) -> Content:
        page = self._screen.pages.get(row.path)
        count = page.editor.words if page and page.editor.words >= 0 else row.words
        mark = "[x]" if _name(row) in self._chosen else "[ ]"
        number = f"{row.number:>3}" if row.number else "  –"
        told = (
            f"{mark} {number} {one_line(row.title, 40)}",
            many("{count:,} word", "{count:,} words", count),
            self._state(row),
        )
        return Content(" · ".join(filter(None, told)))

    def _state(self, row: Row) -> str:
        writing, page = self._screen.writings.of(row.path), self._screen.pages.get(row.path)
        if writing.busy:
            usual = _busy(writing.phase, writing.pausing, writing.trouble, writing.speed())
            return usual if writing.pausing or writing.trouble else writing.thinking_words or usual
        if writing.why:
            return say("stopped: {why}", why=one_line(writing.why, 200))
        if (page and page.resumable) or row.path in self._screen.offers:
            return say("paused")
        if writing.generation:
            return say("written")
        return say("empty") if _is_empty(row) else ""

    # Keys -----------------------------------------------------------------------------------------------------

    def action_choose(self) -> None:
        if name := self._rows.chosen:
            self._chosen ^= {name}
            self.look()

    def action_every_empty(self) -> None:
        self._chosen |= {_name(row) for row in self._book if _is_empty(row)}
        self.look()

    def action_write(self) -> None:
        if self._screen.only_reads:
            self._screen.complain(say("This window only reads: write chapters in the one that writes."), "information")
        elif not self._chosen:
            self._screen.complain(
                say("Choose chapters with Space first, or press e for every empty one."), "information"
            )
        else:
            chosen, self._chosen = [row for row in self._book if _name(row) in self._chosen], set()
            work(self, "write", self._write, chosen)

    async def _write(self, chosen: list[Row]) -> None:
        for row in chosen:
            path = row.path or await self._screen.arranging.adding.made(row.title)
            page = await self._screen.opening.load(path) if path else None
            if page is None or self._screen.writings.of(page.chapter.path).busy:
                continue
            if why := page.only_read or page.beside:
                self._screen.complain(why, "information")
            elif page.resumable:
                self._screen.resume(page)
            else:
                self._screen.draft(page)
        await self._read()

    def action_turn(self) -> None:
        self._turn(self._rows.chosen)

    def _turn(self, path: str) -> None:
        writing, page = self._screen.writings.of(path), self._screen.pages.get(path)
        if writing.busy:
            self._screen.pause(writing)
        elif page is not None and page.resumable:
            self._screen.resume(page)
        else:
            self._screen.complain(say("Nothing is paused there. Choose it with Space, then press w."), "information")

    def action_pause_all(self) -> None:
        for writing in self._screen.writings.busy:
            self._screen.pause(writing)

    def action_go_on_all(self) -> None:
        work(self, "write", self._go_on, frozenset(self._chosen))

    async def _go_on(self, chosen: frozenset[str]) -> None:
        """With what is paused among these chapters; in all of them if none is chosen."""
        screen = self._screen
        for path in [row.path for row in self._book if row.path and (not chosen or row.path in chosen)]:
            if path in screen.pages or path in screen.offers:
                page = await screen.opening.load(path)
                if page is not None and page.resumable:
                    screen.resume(page)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = self._rows.name_at(event.option_index)
        if not name.startswith(_NEW):
            self._screen.open_chapter(name)
            self.dismiss(None)


def _name(row: Row) -> str:
    return row.path or _NEW + row.title


def _is_empty(row: Row) -> bool:
    """Nothing but its heading."""
    return row.words <= words(row.title)


def _busy(phase: Phase, pausing: bool, trouble: str, speed: float | None) -> str:
    if trouble:
        return one_line(trouble, 200)
    if pausing:
        return say("pausing…")
    if phase is Phase.WRITING:
        return say("being written") if speed is None else say("being written, {speed:.0f} tok/s", speed=speed)
    return say("the engine is started again") if phase is Phase.RETRYING else say("waits for the engine")
