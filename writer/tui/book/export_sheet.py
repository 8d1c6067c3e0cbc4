"""The book as a file for others: which kind, how it looks, where it goes. Made beside the writing, told when done."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from writer.errors import WriterError
from writer.exchange.orders import ExportOrder, Format, Style
from writer.language import say
from writer.manuscript.names import slug
from writer.text.sanitise import one_line, visible
from writer.tui.aligned import padded
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen

_KINDS = {
    Format.DOCX: say("Word: for publishers and editors"),
    Format.EPUB: say("EPUB: for e-readers"),
    Format.PDF: say("PDF: to print and to hand in"),
    Format.HTML: say("HTML: one page for a browser"),
    Format.MD: say("Markdown: your text in one file"),
    Format.TXT: say("Plain text"),
}
_TWO_LINES = 80
"""Cells from which on a kind and its file stand on one line."""
_STYLES = {Style.MANUSCRIPT: say("standard manuscript format"), Style.REPORT: say("report")}


class ExportSheet(Sheet[None]):
    """Gives the order; what came of it is told on the main screen."""

    KEYS: ClassVar[str] = say("Enter export · s style · c all chapters or this one · p place · Esc back")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "style", say("Style")),
        Binding("c", "chapters", say("Chapters")),
        Binding("p", "place", say("Place")),
    ]

    def __init__(self, screen: ManuscriptScreen) -> None:
        super().__init__(say("Export"))
        self._screen = screen
        self._rows = Rows()
        self._style = Style.MANUSCRIPT
        self._changed = False
        self._here = screen.page.chapter.number if screen.page else 0
        self._only_here = False
        self._place = ""
        """A file or a folder; "" is the manuscript's folder exports."""

    def body(self) -> Widget:
        return self._rows

    def on_mount(self) -> None:
        self._rows.focus()
        self._show()
        work(self, "read", self._read)

    async def _read(self) -> None:
        """The style that writer.toml names, unless the author was faster."""
        from writer.exchange.exporting import style_of

        try:
            said = await asyncio.to_thread(style_of, self._screen.manuscript.folder)
        except WriterError as error:
            self._screen.complain(error.sentence)
            return
        if not self._changed:
            self._style = said
            self._show()

    def _show(self) -> None:
        chapters = say("chapter {number}", number=self._here) if self._only_here else say("all chapters")
        self.entitle(say("Export: {style}, {chapters}", style=_STYLES[self._style], chapters=chapters))
        between = " " if self.size.width >= _TWO_LINES else "\n  "
        self._rows.fill(
            [
                (form, Content(f"{padded(visible(what), 36)}{between}{self._named(form)}"))
                for form, what in _KINDS.items()
            ]
        )

    def on_resize(self) -> None:
        self._show()

    def _named(self, form: Format) -> str:
        target = self._target(form)
        folder = self._screen.manuscript.folder
        return one_line(str(target.relative_to(folder) if target.is_relative_to(folder) else target), 200)

    def _target(self, form: Format) -> Path:
        """Where a file of this kind goes."""
        manuscript = self._screen.manuscript
        only = f"-{self._here}" if self._only_here else ""
        name = f"{slug(manuscript.title) or 'book'}{only}.{form}"
        if not self._place:
            return manuscript.folder / "exports" / name
        place = Path(os.path.abspath(os.path.expanduser(self._place)))
        return place / name if self._place.endswith("/") or not place.suffix else place

    # What the author does -------------------------------------------------------------------------------------

    def action_style(self) -> None:
        self._changed = True
        self._style = Style.REPORT if self._style is Style.MANUSCRIPT else Style.MANUSCRIPT
        self._show()

    def action_chapters(self) -> None:
        if self._here:
            self._only_here = not self._only_here
            self._show()

    def action_place(self) -> None:
        from writer.tui.screens.ask import Ask

        hint = say("A folder, or a file's name; nothing is the manuscript's folder exports. Escape goes back.")
        self.app.push_screen(Ask(say("Where should the file go?"), hint, self._place), self._placed)

    def _placed(self, place: str | None) -> None:
        if place is not None:
            self._place = place
            self._show()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        form = Format(self._rows.name_at(event.option_index))
        order = ExportOrder(
            self._screen.manuscript.folder,
            form,
            self._style,
            self._target(form),
            str(self._here) if self._only_here else "",
            texts=dict(_open_texts(self._screen)),
        )
        self.dismiss(None)
        work(self._screen, "export", _made, self._screen, order)


def _open_texts(screen: ManuscriptScreen) -> Iterator[tuple[str, str]]:
    """What is on the screen counts, saved or not."""
    for path, page in screen.pages.items():
        if page.legacy is None:
            page.buffer.flush()
            yield path, page.editor.text


async def _made(screen: ManuscriptScreen, order: ExportOrder) -> None:
    """Make the file, and ask first if one is there."""
    from writer.exchange.exporting import export
    from writer.tui.screens.choice import Choice

    if order.output is not None and not order.force and await asyncio.to_thread(os.path.lexists, order.output):
        lines = [say("There is already a file {output}.", output=one_line(str(order.output), 200)), say("Replace it?")]

        def answered(answer: str | None) -> None:
            if answer == "replace":
                work(screen, "export", _made, screen, replace(order, force=True))

        screen.app.push_screen(Choice(lines, (("back", say("Back")), ("replace", say("Replace")))), answered)
        return
    screen.note(say("Exporting…"))
    try:
        made = await asyncio.to_thread(export, order)
    except WriterError as error:
        screen.complain(error.sentence)
        return
    for note in made.notes[:3]:
        screen.complain(note, "warning")
    screen.complain(made.sentence, "information")
