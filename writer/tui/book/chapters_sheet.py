"""The overview: every chapter with its status, its words and what happens in it. Chapters are arranged here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from writer.errors import WriterError
from writer.language import many, say
from writer.text.sanitise import one_line
from writer.tui.aligned import flush_right, padded
from writer.tui.book.overview import Overview, Row, read_overview
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.widgets.outline import STATUS_MARKS, STATUS_NAMES
from writer.tui.working import work_anew

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen


class ChaptersSheet(Sheet[None]):
    """Stays open while chapters are arranged; choosing one opens it."""

    KEYS: ClassVar[str] = say(
        "Enter open · s status · y summary · r rename · u up · d down · m merge · g goal · p part · a add · "
        "o outline · n notes · f search · v reading view · w words by day · Esc back"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "do('status')", say("Status")),
        Binding("r", "do('rename')", say("Rename")),
        Binding("u,shift+up", "do('up')", say("Up")),
        Binding("d,shift+down", "do('down')", say("Down")),
        Binding("m", "do('merge')", say("Merge")),
        Binding("g", "do('goal')", say("Goal")),
        Binding("p", "do('part')", say("Part")),
        Binding("a", "add", say("Add")),
        Binding("y", "summary", say("Summary")),
        Binding("o", "leave_for('open_outline')", say("Outline")),
        Binding("n", "leave_for('action_notes')", say("Notes")),
        Binding("f", "leave_for('action_search_book')", say("Search")),
        Binding("v", "leave_for('action_read_book')", say("Reading view")),
        Binding("w", "leave_for('action_days')", say("Words")),
    ]

    def __init__(self, screen: ManuscriptScreen) -> None:
        super().__init__(say("Chapters"))
        self._screen = screen
        self._rows = Rows()
        self._overview: Overview | None = None

    def body(self) -> Widget:
        return self._rows

    def on_mount(self) -> None:
        self._rows.focus()
        self.refresh_rows()

    def refresh_rows(self, chosen: str = "") -> None:
        """Read the book again; the chapter `chosen` is highlighted then."""
        work_anew(self, "read", self._read, chosen)

    async def _read(self, chosen: str) -> None:
        screen = self._screen
        texts = {path: page.editor.text for path, page in screen.pages.items()}
        try:
            self._overview = await asyncio.to_thread(read_overview, screen.manuscript.folder, texts)
        except WriterError as error:
            screen.complain(error.sentence)
            return
        for sentence in self._overview.sentences[:3]:
            screen.complain(sentence, "warning")
        self._show(self._overview, chosen)

    def _show(self, overview: Overview, chosen: str) -> None:
        self.entitle(_headed(overview))
        here = self._screen.page.chapter.path if self._screen.page else ""
        chosen = chosen or self._rows.chosen or here
        chosen = self._screen.arranging.renames.get(chosen, chosen)
        self._rows.fill(list(_rows(overview.rows, self.size.width - 4)), chosen)

    def on_resize(self) -> None:
        if self._overview is not None:
            self._show(self._overview, "")

    # What the author does -------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = self._rows.name_at(event.option_index)
        if name.startswith(NEW):
            self._screen.arranging.adding.add(name.removeprefix(NEW))
        else:
            self._screen.open_chapter(name)
        self.dismiss(None)

    def action_do(self, what: str) -> None:
        path = self._rows.chosen
        if path.startswith(NEW):
            self._screen.complain(say("This chapter is only in the outline. Press Enter to make it."), "information")
        elif path:
            work: Callable[[str], None] = getattr(self._screen.arranging, what)
            work(path)

    def action_add(self) -> None:
        """A chapter behind the one that is chosen."""
        behind = self._rows.chosen
        self.dismiss(None)
        self._screen.arranging.adding.ask(behind)

    def action_summary(self) -> None:
        """Of the chapter that is chosen."""
        path = self._rows.chosen
        if path and not path.startswith(NEW):
            self.dismiss(None)
            self._screen.summaries.ask(path)

    def action_leave_for(self, action: str) -> None:
        self.dismiss(None)
        go: Callable[[], None] = getattr(self._screen, action)
        go()


NEW = "new:"
"""Before the title of a chapter that only the outline has: the row's name."""


def _rows(rows: tuple[Row, ...], width: int) -> Iterator[tuple[str, Content]]:
    part = ""
    for row in rows:
        if row.part != part:
            part = row.part
            yield "", Content(one_line(part, max(1, width)) or say("Without a part"))
        yield row.path or NEW + row.title, _row(row, width)


def _headed(overview: Overview) -> str:
    count = len(overview.manuscript.chapters)
    return say(
        "{title}: {chapters}, {words}",
        title=overview.manuscript.title,
        chapters=many("{count:,} chapter", "{count:,} chapters", count),
        words=many("{count:,} word", "{count:,} words", overview.words),
    )


def _told(row: Row) -> str:
    if not row.path:
        return say("not begun")
    if row.goal:
        return say("{words:,} of {goal:,} words", words=row.words, goal=row.goal)
    return many("{count:,} word", "{count:,} words", row.words)


def _row(row: Row, width: int) -> Content:
    mark = STATUS_MARKS.get(row.status, " ")
    right = f"  {padded(STATUS_NAMES.get(row.status, row.status or ''), 7)}  {flush_right(_told(row), 14)}"
    number = f"{row.number:>3}" if row.path else "  –"
    left = f"{number} {mark} {one_line(row.title, 120)}"
    room = max(8, width - cell_len(right))
    first = Content(left).truncate(room, ellipsis=True, pad=True)
    lines = first + Content(right)
    if row.synopsis and width >= 30:
        below = Content(f"      {one_line(row.synopsis, 300)}").truncate(width, ellipsis=True)
        lines = lines + Content("\n") + below.stylize("dim")
    return lines
