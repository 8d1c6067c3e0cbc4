"""Notes and all other texts beside the chapters: found, opened, made from a template."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from writer.errors import WriterError
from writer.language import say
from writer.manuscript import material
from writer.manuscript.names import heading
from writer.manuscript.note_templates import new_note
from writer.manuscript.notes import KINDS, read_notes
from writer.manuscript.outline import FILE as OUTLINE
from writer.text.sanitise import one_line
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.working import work, work_anew

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen

_HEADS = {
    "character": say("Characters"),
    "place": say("Places"),
    "thread": say("Threads"),
    "style": say("Style"),
    "summary": say("Summaries"),
}
_ASKED = {
    "character": say("Name of the new character"),
    "place": say("Name of the new place"),
    "thread": say("Name of the new thread"),
    "note": say("Name of the new note"),
}
_TEXTS = (".md", ".txt")


@dataclass(frozen=True, slots=True)
class Listed:
    """One text: where it is, what it is called, under which heading it stands, how it begins."""

    path: str
    title: str
    head: str
    begins: str


def listed(folder: Path) -> tuple[tuple[Listed, ...], tuple[str, ...]]:
    """All texts beside the chapters of the manuscript in `folder`, and what could not be read. Reads files."""
    notes, sentences = read_notes(folder)
    found = [
        Listed(n.path, n.title, _HEADS.get(n.kind, say("Notes")), one_line(n.text.lstrip("# "), 300)) for n in notes
    ]
    order = [_HEADS.get(kind, say("Notes")) for kind in KINDS]
    found.sort(key=lambda text: order.index(text.head))
    known = {text.path for text in found}
    others = [OUTLINE] if (folder / OUTLINE).is_file() else []
    for inner in ("notes", "sources", "prompts"):
        others += material.paths(folder, inner, _TEXTS)[0]
    found += [Listed(path, _title(folder, path), say("Other texts"), "") for path in others if path not in known]
    return tuple(found), sentences


def _title(folder: Path, path: str) -> str:
    if path == OUTLINE:
        return say("Outline")  # its first heading is that of a part or a chapter
    try:
        return heading(material.read_text(folder, path, 4096)) or path
    except WriterError:  # it is too large for a look, or cannot be read: whoever opens it is told
        return path


class NotesSheet(Sheet[str]):
    """Returns the path of the text to open."""

    KEYS: ClassVar[str] = say("Enter open · c new character · p place · t thread · n note · Esc back")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "new('character')", say("Character")),
        Binding("p", "new('place')", say("Place")),
        Binding("t", "new('thread')", say("Thread")),
        Binding("n", "new('note')", say("Note")),
    ]

    def __init__(self, screen: ManuscriptScreen) -> None:
        super().__init__(say("Notes and other texts"))
        self._screen = screen
        self._rows = Rows()

    def body(self) -> Widget:
        return self._rows

    def on_mount(self) -> None:
        self._rows.focus()
        work_anew(self, "read", self._read)

    async def _read(self) -> None:
        texts, sentences = await asyncio.to_thread(listed, self._screen.manuscript.folder)
        for sentence in sentences[:3]:
            self._screen.complain(sentence, "warning")
        self.entitle(
            say("Notes and other texts: {count}", count=len(texts))
            if texts
            else say("No notes yet: press c, p, t or n for one")
        )
        self._rows.fill(list(_rows(texts)))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._rows.name_at(event.option_index))

    def action_new(self, kind: str) -> None:
        if self._screen.only_reads:
            self._screen.complain(say("This window only reads: make notes in the one that writes."), "information")
            return
        from writer.tui.screens.ask import Ask

        def named(title: str | None) -> None:
            if title:
                work(self, "make", self._make, kind, title)

        self.app.push_screen(Ask(_ASKED[kind], say("Enter makes it; Escape goes back.")), named)

    async def _make(self, kind: str, title: str) -> None:
        try:
            path = await asyncio.to_thread(new_note, self._screen.manuscript.folder, kind, title)
        except WriterError as error:
            self._screen.complain(error.sentence)
            return
        self.dismiss(path)


def _rows(texts: tuple[Listed, ...]) -> Iterator[tuple[str, Content]]:
    for head, group in groupby(texts, key=lambda text: text.head):
        yield "", Content(head)
        for text in group:
            row = Content(f"  {one_line(text.title, 60)}")
            yield text.path, row + Content(f"  {text.begins}").stylize("dim") if text.begins else row
