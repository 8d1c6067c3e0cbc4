"""Chapter files as the writing thread saves them: place recorded first, file second, nothing of others lost.

What another program did to a file is merged with the front end's text where that is clean; else both texts are kept.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from writer.errors import ChapterChangedOnDisk, ManuscriptError, SaveFailed, StorageError
from writer.language import say, together
from writer.manuscript.arrangement import Carried
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.edits import Edit, at_once, inside
from writer.manuscript.encoding import like
from writer.manuscript.merge import Merged
from writer.manuscript.model import ChapterText
from writer.manuscript.versions import Versions
from writer.runtime.ancestors import difference
from writer.runtime.events import ChapterMerged, ChapterSaved, Noted, SaveRefused
from writer.runtime.lineage import Lineage
from writer.runtime.orders import SaveOrder, Span
from writer.runtime.places import Places, SpanJournal, carry
from writer.runtime.renaming import Renamed
from writer.runtime.runner import Notify

_log = logging.getLogger(__name__)
QUIET = 0.1  # seconds for which another program's file must stay the same before it is taken for whole


class Chapters:
    """Saves chapters one after the other. Keeps what each file held last, to see other programs' changes.

    `disturbed` is told of a generation whose text another program has changed.
    """

    def __init__(
        self,
        file_of: Callable[[str], ChapterFile],
        versions: Versions,
        spans: SpanJournal,
        notify: Notify,
        *,
        disturbed: Callable[[str], None] = lambda generation: None,
        quiet: float = QUIET,
    ) -> None:
        self._file_of = file_of
        self._versions = versions
        self._places = Places(spans)
        self._notify = notify
        self._disturbed = disturbed
        self._quiet = quiet
        self._lines: dict[str, Lineage] = {}
        self._spans: dict[str, dict[str, tuple[Span, ...]]] = {}  # by the text in which they stand
        self._sentences: dict[str, str] = {}
        self._number = 0  # of the last change of another program
        self._versioned: set[str] = set()
        self._newer: set[str] = set()  # chapters of which a newer text was handed over since a generation was ordered
        self._renamed = Renamed()
        self._turn = asyncio.Lock()
        self._running: set[asyncio.Task[bool]] = set()

    @property
    def known(self) -> tuple[str, ...]:
        """The chapters that were opened."""
        return tuple(self._lines)

    def opened(self, chapter: str, loaded: ChapterText) -> None:
        """The front end has read this chapter: a save must find the file as it was then."""
        self._lines[chapter] = Lineage(loaded)
        self._spans.pop(chapter, None)
        self._renamed.forget(chapter)

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """No chapter is saved meanwhile: their files are renamed, cut or joined."""
        async with self._turn:
            yield

    async def arranged(self, carried: Carried, now: ChapterText | None) -> None:
        """A chapter was renamed or changed (see `still`), and its file holds that `now`; None: another one has it."""
        line, spans = self._lines.pop(carried.old, None), self._spans.pop(carried.old, {})
        if line is None or now is None:
            return
        self._renamed.add(carried.old, carried.new)
        self._lines[carried.new], before = line, line.disk
        if before.sha256 == carried.before and now.sha256 == carried.after and carried.edits:  # else a save sees to it
            self._number += 1
            self._spans[carried.new] = {line.handed: spans.get(line.handed, ())}
            self._spans[carried.new] |= {now.text: carry(spans.get(before.text, ()), carried.edits)}
            line.changed(self._number, line.handed, before.text, now.text, now)
            await self._announce(carried.new, line)

    def ordered(self, chapter: str, merged: int) -> None:
        """A generation was ordered: the text that came with it is the newest now, and may grow old meanwhile."""
        self._newer.discard(chapter)
        if chapter in self._lines:
            self._lines[chapter].confirm(merged)

    def new_version(self, chapter: str) -> None:
        """The next save keeps the chapter as it is now among its versions (so does the first save of a run)."""
        self._versioned.discard(chapter)

    async def read(self, chapter: str) -> ChapterText:
        """The chapter as it is on disk now; it counts as opened."""
        loaded = await asyncio.to_thread(self._file_of(chapter).read)
        self.opened(chapter, loaded)
        return loaded

    async def save(self, order: SaveOrder) -> bool:
        """Writes the chapter and reports it. False (and SaveRefused) if the disk or the folder refuses.

        Who cancels it stops waiting, not the save: its thread writes on, and the next save must know of it.
        """
        saving = asyncio.ensure_future(self._in_turn(order))
        self._running.add(saving)
        saving.add_done_callback(self._running.discard)
        return await asyncio.shield(saving)

    async def look(self, chapter: str) -> None:
        """If another program has changed an opened chapter, merge that now.

        A file that is gone is not written again unasked: it may have been moved. Its text is among the versions.
        """
        async with self._turn:
            line, file = self._lines.get(chapter), self._file_of(chapter)
            if line is None:
                return
            if not await asyncio.to_thread(os.path.exists, file.path):
                await self._keep_version(chapter, file.encode(line.disk.text, line.disk))
            if not await asyncio.to_thread(file.changed, line.disk):
                return
            spans = self._spans.get(chapter, {}).get(line.handed, ())
            newest = SaveOrder(chapter, line.handed, 0, spans, line.taken_over)
            try:
                await self._save(newest)
            except (ManuscriptError, StorageError) as error:  # the next save will find the same, and tells it
                _log.warning("a changed chapter was left alone: %s", error.detail)
                return
        self._notify(ChapterSaved(chapter, 0))

    async def rest(self) -> None:
        """Waits for the saves under way; places that could not be recorded are tried again."""
        await asyncio.gather(*self._running, return_exceptions=True)
        self._places.record((), b"")

    async def _in_turn(self, order: SaveOrder) -> bool:
        async with self._turn:
            order = replace(order, chapter=self._renamed.now(order.chapter))
            try:
                await self._save(order)
            except (ManuscriptError, StorageError) as error:
                self._notify(SaveRefused(order.chapter, order.serial, error.sentence))
                return False
        self._notify(ChapterSaved(order.chapter, order.serial))
        return True

    # --- one save ----------------------------------------------------------------------------------------------

    async def _save(self, order: SaveOrder) -> None:
        if order.chapter not in self._lines:
            await self.read(order.chapter)
        line = self._lines[order.chapter]
        order = self._newest(order, line)
        mine, kept = await asyncio.to_thread(line.completed, order.text), ""
        if mine is None:
            mine, kept = Merged(order.text, (), False), await self._beside(order, line.disk)
        self._disturb(order.spans, mine.edits)
        await self._keep_first(order.chapter, mine.text, line.disk)
        try:
            disk = await self._write(order, mine.text, line.disk, mine.edits)
        except ChapterChangedOnDisk:
            spans = await self._join(order, line, mine)
        else:
            spans = carry(order.spans, mine.edits)
            line.begun_anew(order.text, disk) if kept else line.saved(order.text, disk)
        self._spans[order.chapter] = {order.text: order.spans, line.disk.text: spans}
        await self._announce(order.chapter, line)

    def _newest(self, order: SaveOrder, line: Lineage) -> SaveOrder:
        """The order, on the newest text: a generation's own (serial 0) may have been given a long time ago."""
        if order.serial:
            self._newer.add(order.chapter)
            line.confirm(order.merged)
        elif order.chapter in self._newer:
            edits = difference(order.text, line.handed)
            return replace(order, text=line.handed, spans=carry(order.spans, edits))
        return order

    async def _join(self, order: SaveOrder, line: Lineage, mine: Merged) -> tuple[Span, ...]:
        """Another program changed or removed the file: merge its text with ours, or keep both. The author is told.

        Returns where the generated text stands then.
        """
        file, spans = self._file_of(order.chapter), carry(order.spans, mine.edits)
        if not await asyncio.to_thread(file.exists):
            self._places.record(spans, file.encode(mine.text, ChapterText("", "")))
            line.saved(order.text, await asyncio.to_thread(file.create, mine.text))
            sentence = say("Another program removed {file}. It was written again from your text.", file=file.name)
            self._notify(SaveRefused(order.chapter, order.serial, sentence))
            return spans
        theirs = like(await self._whole(file), line.disk)
        merged = await asyncio.to_thread(line.joined, mine.text, theirs.text)
        if merged is None or not await self._losses_kept(order.chapter, line, mine, merged, theirs):
            await self._beside(order, theirs)
            line.overruled(order.text, theirs.text, await self._write(order, mine.text, theirs, mine.edits))
            return spans
        disk = await self._write(order, merged.text, theirs, (*mine.edits, *merged.edits))
        if not merged.edits:
            line.overruled(order.text, theirs.text, disk)
            if theirs.text != disk.text:
                told = say("Another program wrote an older text over {file}. Yours is there again.", file=file.name)
                self._notify(Noted(told))
            return spans
        self._number += 1
        line.changed(self._number, order.text, mine.text, theirs.text, disk)
        self._sentences[order.chapter] = say(
            "Another program changed {file}. Its changes are in your text now.", file=file.name
        )
        if self._disturb(spans, merged.edits):
            told = say("Some of them are in what was being written: it is paused.")
            self._sentences[order.chapter] = together(self._sentences[order.chapter], told)
        return carry(spans, merged.edits)

    def _disturb(self, spans: tuple[Span, ...], edits: tuple[Edit, ...]) -> bool:
        hit = [span for span in spans if inside(span.start, span.end, edits)]
        for span in hit:
            self._disturbed(span.generation)
        return bool(hit)

    async def _write(self, order: SaveOrder, text: str, over: ChapterText, edits: tuple[Edit, ...]) -> ChapterText:
        file = self._file_of(order.chapter)
        data = file.encode(text, over)  # the line breaks may be others by now
        self._places.record(carry(order.spans, edits), data, over.sha256)
        return await asyncio.to_thread(file.save, text, over)

    async def _whole(self, file: ChapterFile) -> ChapterText:
        """What another program has written, once it has written it to the end."""
        theirs = await asyncio.to_thread(file.read)
        for _ in range(20):
            await asyncio.sleep(self._quiet)
            before, theirs = theirs, await asyncio.to_thread(file.read)
            if before.sha256 == theirs.sha256:
                break
        return theirs

    # --- what is kept, what is told ----------------------------------------------------------------------------

    async def _beside(self, order: SaveOrder, theirs: ChapterText) -> str:
        """Keep another program's text in a file of its own; the name of that."""
        file = self._file_of(order.chapter)
        if not theirs.text.strip():
            sentence = say("Another program emptied {file}. It was written again from your text.", file=file.name)
            self._notify(SaveRefused(order.chapter, order.serial, sentence))
            return ""
        kept = (await asyncio.to_thread(file.keep_aside, theirs.text)).name
        sentence = say(
            "Another program changed the same words of {file} as you. Yours are in the chapter, its "
            "version is kept beside it, in {kept}.",
            file=file.name,
            kept=kept,
        )
        self._notify(SaveRefused(order.chapter, order.serial, sentence, kept))
        return kept

    async def _losses_kept(
        self, chapter: str, line: Lineage, mine: Merged, merged: Merged, theirs: ChapterText
    ) -> bool:
        """Whether what a merge takes out of either side is among the versions. Most take out nothing."""
        file, kept = self._file_of(chapter), True
        if any(mine.text[at : at + removed].strip() for at, removed, _ in at_once(merged.edits)):
            kept = await self._keep_version(chapter, file.encode(mine.text, line.disk))
        if merged.fine:
            kept = await self._keep_version(chapter, file.encode(theirs.text, theirs)) and kept
        return kept

    async def _keep_first(self, chapter: str, text: str, disk: ChapterText) -> None:
        if text != disk.text and disk.text and chapter not in self._versioned:
            data = self._file_of(chapter).encode(disk.text, disk)
            if await self._keep_version(chapter, data):
                self._versioned.add(chapter)

    async def _keep_version(self, chapter: str, data: bytes) -> bool:
        try:
            await asyncio.to_thread(self._versions.keep, chapter, data)
        except SaveFailed as error:  # the state's disk is full: no reason to leave new words unsaved on another
            _log.warning("no earlier version was kept: %s", error.detail)
            return False
        return True

    async def _announce(self, chapter: str, line: Lineage) -> None:
        if line.behind:
            changes = await asyncio.to_thread(difference, line.handed, line.disk.text)
            told = line.number, line.taken_over, line.handed, line.disk.text, changes
            self._notify(ChapterMerged(chapter, *told, self._sentences.get(chapter, "")))
