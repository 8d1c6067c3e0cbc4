"""Chapter files as the writing thread saves them: place recorded first, file second, nothing of others lost."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from typing import Protocol

from writer.errors import ChapterChangedOnDisk, ManuscriptError, SaveFailed, StorageError
from writer.generation.model import SpanRecord
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import ChapterText
from writer.manuscript.versions import Versions
from writer.runtime.events import ChapterSaved, SaveRefused
from writer.runtime.orders import SaveOrder
from writer.runtime.runner import Notify

_log = logging.getLogger(__name__)


class SpanJournal(Protocol):
    """The part of the store that saving uses."""

    def record(self, span: SpanRecord, *, on_disk: str = "") -> None: ...


class Chapters:
    """Saves chapters one after the other. Keeps what each file held last, to see other programs' changes."""

    def __init__(
        self, file_of: Callable[[str], ChapterFile], versions: Versions, spans: SpanJournal, notify: Notify
    ) -> None:
        self._file_of = file_of
        self._versions = versions
        self._spans = spans
        self._notify = notify
        self._known: dict[str, ChapterText] = {}
        self._versioned: set[str] = set()
        self._turn = asyncio.Lock()
        self._running: set[asyncio.Task[bool]] = set()

    def opened(self, chapter: str, loaded: ChapterText) -> None:
        """The front end has read this chapter: a save must find the file as it was then."""
        self._known[chapter] = loaded

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

    async def rest(self) -> None:
        """Waits for the saves under way."""
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _in_turn(self, order: SaveOrder) -> bool:
        async with self._turn:
            try:
                await self._save(order)
            except (ManuscriptError, StorageError) as error:
                self._notify(SaveRefused(order.chapter, order.serial, error.sentence))
                return False
        self._notify(ChapterSaved(order.chapter, order.serial))
        return True

    async def _save(self, order: SaveOrder) -> None:
        file = self._file_of(order.chapter)
        if order.chapter not in self._known:
            await self.read(order.chapter)
        loaded = self._known[order.chapter]
        if order.text == loaded.text and not order.spans:
            return
        if order.text != loaded.text and loaded.text and order.chapter not in self._versioned:
            await self._keep_version(order.chapter, file.encode(loaded.text, loaded))
        self._record(order, file.encode(order.text, loaded))
        try:
            self._known[order.chapter] = await asyncio.to_thread(file.save, order.text, loaded)
        except ChapterChangedOnDisk:
            await self._keep_both(order, file)

    async def _keep_version(self, chapter: str, data: bytes) -> None:
        try:
            await asyncio.to_thread(self._versions.keep, chapter, data)
            self._versioned.add(chapter)
        except SaveFailed as error:  # the state's disk is full: no reason to leave new words unsaved on another
            _log.warning("no earlier version was kept: %s", error.detail)

    def _record(self, order: SaveOrder, data: bytes) -> None:
        sha256, on_disk = hashlib.sha256(data).hexdigest(), self._known[order.chapter].sha256
        for span in order.spans:
            place = SpanRecord(span.generation, sha256, span.start, span.end, span.covered)
            self._spans.record(place, on_disk=on_disk)

    async def _keep_both(self, order: SaveOrder, file: ChapterFile) -> None:
        """Another program changed or removed the file: its version and ours are both kept, and the author is told."""
        name = file.path.name
        if not await asyncio.to_thread(file.path.exists):
            self._record(order, file.encode(order.text, ChapterText("", "")))
            self._known[order.chapter] = await asyncio.to_thread(file.create, order.text)
            sentence, kept = f"Another program removed {name}. It was written again from your text.", ""
        else:
            theirs = await asyncio.to_thread(file.read)
            aside = await asyncio.to_thread(file.keep_aside, theirs.text, "other program")
            self._record(order, file.encode(order.text, theirs))  # its line breaks may be others
            self._known[order.chapter] = await asyncio.to_thread(file.save, order.text, theirs)
            sentence = f"Another program changed {name}. Its version is kept beside yours, in {aside.name}."
            kept = aside.name
        self._notify(SaveRefused(order.chapter, order.serial, sentence, kept))
