"""What comes from outside while a desk is open: other programs' changes of chapters, and windows that want to write.

Hints are never trusted: whether a chapter has changed is told by its bytes, and our own saves change them, too.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from writer.manuscript.file_system import far, warning
from writer.manuscript.handover import Bell, bell
from writer.runtime.events import LeaveAsked
from writer.runtime.file_marks import Mark, mark_of
from writer.runtime.runner import Notify
from writer.runtime.saving import Chapters

POLL = 2.0  # seconds between looks at the opened chapters, which need no hint


class Outside:
    """Watches and listens, from `start` to `stop`, in the running loop."""

    def __init__(self, folder: Path, state_dir: Path, chapters: Chapters, notify: Notify) -> None:
        self._folder = folder
        self._state_dir = state_dir
        self._chapters = chapters
        self._bell = Bell(bell(state_dir), lambda pid: notify(LeaveAsked(pid)))
        self._marks: dict[str, Mark] = {}
        self._stopped = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def notes(self) -> list[str]:
        """What the author should know of the folder's disk, once."""
        sentence, told = warning(self._folder), self._state_dir / "warned"
        with suppress(OSError):
            if not sentence or (told.exists() and told.read_text(encoding="utf-8") == sentence):
                return []
            told.write_text(sentence, encoding="utf-8")
        return [sentence]

    async def start(self) -> None:
        """Begin."""
        await self._bell.hang()
        self._tasks = [asyncio.ensure_future(self._look_often()), asyncio.ensure_future(self._heed_hints())]

    def stop(self) -> None:
        """Nothing is looked at and nobody is heard any more. May be called twice."""
        self._bell.take_down()
        self._stopped.set()
        for task in self._tasks:
            task.cancel()

    async def look(self) -> None:
        """Look at all opened chapters now: the window has the author's attention again."""
        for chapter in self._chapters.known:
            await self._chapters.look(chapter)

    async def _look_often(self) -> None:
        while True:
            await asyncio.sleep(POLL)
            for chapter in self._chapters.known:
                mark = await asyncio.to_thread(mark_of, self._folder / chapter)
                if mark != self._marks.get(chapter):
                    self._marks[chapter] = mark
                    await self._chapters.look(chapter)

    async def _heed_hints(self) -> None:
        if await asyncio.to_thread(far, self._folder):  # the kernel does not hear of what other machines write
            return
        from writer.manuscript.watcher import changes

        async for hinted in changes(self._folder, self._stopped):
            for chapter in self._chapters.known:
                if chapter in hinted:
                    await self._chapters.look(chapter)
