"""Changes of chapters while a desk is open, and at its start: files, versions and the saved state go together.

The files are `manuscript/arranging`'s. Here: nothing is written in such a chapter meanwhile, no save comes between,
and what the state knows by a chapter's path and places follows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from writer.errors import ChapterUnreadable, ManuscriptError, WriterError
from writer.generation.model import SpanRecord
from writer.language import say, together
from writer.manuscript.arrangement import Arrangement, Carried
from writer.manuscript.arranging import Shelf, arrange, finish
from writer.manuscript.book import read_book
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.edits import moved
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.manuscript.versions import Versions
from writer.runtime.events import ArrangeRefused, ChaptersArranged
from writer.runtime.orders import ArrangeOrder
from writer.runtime.runner import Notify
from writer.runtime.saving import Chapters
from writer.runtime.turns import Turns
from writer.runtime.works import Works
from writer.storage.state_file import StateFile
from writer.text.sanitise import one_line


def shelf_for(folder: Path, state_dir: Path, versions: Versions, state: StateFile, turns: Turns) -> Shelf:
    """Where changes of a manuscript's chapters are done, so that its state follows. Use from the writing thread."""

    def follow(carried: tuple[Carried, ...]) -> None:
        carry(state, carried)
        turns.carry(carried)

    return Shelf(folder, state_dir, versions, follow)


def finished(shelf: Shelf) -> tuple[str, ...]:
    """What a killed process left of a change of chapters is done; sentences. For the start, before recovery."""
    try:
        return finish(shelf)
    except WriterError as error:  # every word is in a file; the next start tries again
        return (error.sentence,)


def carry(state: StateFile, carried: tuple[Carried, ...]) -> None:
    """Generations follow their chapters' paths, and their places the text. Again, it changes nothing more."""
    for each in sorted(carried, key=lambda each: each.beyond < 0):  # what a split took elsewhere first
        for generation in state.generations.all():
            if generation.chapter != each.old or state.generations.is_sealed(generation.id):
                continue
            known = [span for span in state.spans.of(generation.id) if span.file_sha256 == each.before]
            if known and known[0].end > each.beyond:
                state.spans.record(_carried(known[0], each), on_disk=each.after)
                if each.beyond >= 0:
                    state.generations.moved(each.old, each.new, only=generation.id)
    for each in carried:
        if each.old != each.new and each.beyond < 0:
            state.generations.moved(each.old, each.new)


def _carried(span: SpanRecord, by: Carried) -> SpanRecord:
    """What is inserted where a text begins stands before it, where it ends behind it."""
    start = moved(span.start, by.edits, pushed=span.start < span.end)
    return SpanRecord(span.generation, by.after, start, max(start, moved(span.end, by.edits)), span.covered)


class Arranging:
    """Carries out changes of chapters for an open desk. `forget` drops what it holds of a file by its old path."""

    def __init__(
        self, shelf: Shelf, chapters: Chapters, works: Works, notify: Notify, forget: Callable[[str], None]
    ) -> None:
        self._shelf = shelf
        self._chapters = chapters
        self._works = works
        self._notify = notify
        self._forget = forget

    async def arrange(self, order: ArrangeOrder) -> Manuscript | None:
        """Do what the plan makes of the book as it lies on the disk; reported. None if it was refused."""
        try:
            arranged = await self.carry_out(order)
        except WriterError as error:
            self._notify(ArrangeRefused(order.tag, error.sentence))
            return None
        self._notify(arranged)
        return arranged.manuscript

    async def carry_out(self, order: ArrangeOrder) -> ChaptersArranged:
        """The same, not reported. Raises WriterError's kinds if it is refused."""
        async with self._chapters.still():
            book = await asyncio.to_thread(read_book, self._shelf.folder)
            planned = await asyncio.to_thread(order.plan, book)
            self._refuse_busy(planned)
            said = arrange(self._shelf, planned)  # in this thread: it alone touches the state
            for path in {step.path for step in planned.steps}:
                self._forget(path)
            await self._follow(planned)
            manuscript = await asyncio.to_thread(open_manuscript, self._shelf.folder)
        return ChaptersArranged(order.tag, manuscript, planned.whole, together(*said))

    def _refuse_busy(self, planned: Arrangement) -> None:
        for each in planned.carried:
            if self._works.in_chapter(each.old):
                name = one_line(Path(each.old).name, 80)
                raise ManuscriptError(say("{name} is being written. Pause that first, then try again.", name=name))

    async def _follow(self, planned: Arrangement) -> None:
        """A window that has such a chapter open hears of its new text; what became part of another one is gone."""
        kept = {each.old for each in planned.whole if each.old == each.new}
        for each in planned.whole:
            file = ChapterFile(self._shelf.folder / each.new, root=self._shelf.folder)
            joined = each.old != each.new and each.new in kept
            with suppress(ChapterUnreadable):  # the next save tells
                await self._chapters.arranged(each, None if joined else await asyncio.to_thread(file.read))
