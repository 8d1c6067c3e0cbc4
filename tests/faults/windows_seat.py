"""One window on a manuscript, for random interleavings of two: the real lock, the real desk, the real bell.

It does what the app does: it writes or only reads, asks the other window to leave, and when it is asked it saves and
leaves. Runs in the loop of a trial, or alone in a process of its own (`serve`).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from pathlib import Path
from typing import Any

from edits_window import Window, words

from writer import locations
from writer.bootstrap import open_desk
from writer.errors import ManuscriptLocked, WriterError
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.lock import take_over
from writer.manuscript.project import open_manuscript
from writer.runtime.desk import Desk
from writer.runtime.events import ChapterMerged, Event, LeaveAsked

CHAPTER = "chapters/01-chapter-1.md"
ENVIRON = {"WRITER_ENGINE": "scripted"}
PATIENCE = 20.0


class Seat:
    """Someone at a window. `words` of a reply are those of a text whose save was confirmed."""

    saves_before_leaving = True
    reads_when_opened = True

    def __init__(self, folder: Path, seed: str) -> None:
        self._folder = folder
        self._rnd = random.Random(seed)
        self._state_dir = locations.state_dir(open_manuscript(folder).id)
        self._turn = asyncio.Lock()
        self._desk: Desk | None = None
        self._window = Window("", self._rnd, CHAPTER)
        self._leaving: asyncio.Task[None] | None = None
        self._kept: set[str] = set()
        self._saves = 0
        self.surprises: list[str] = []

    @property
    def writes(self) -> bool:
        """Whether this window holds the manuscript."""
        return self._desk is not None

    async def do(self, command: str, word: str = "") -> dict[str, Any]:
        """Carry out one command, after those before it; what is to be known of it."""
        async with self._turn:
            await getattr(self, f"_{command}")(*([word] if word else []))
        return self.facts()

    def facts(self) -> dict[str, Any]:
        """What was confirmed as saved and what this author took out, so far."""
        return {
            "saves": self._saves,
            "kept": sorted(self._kept),
            "deleted": sorted(self._window.deleted),
            "surprises": self.surprises,
        }

    def _hear(self, event: Event) -> None:
        if isinstance(event, ChapterMerged):
            self._window.heard.append(event)
        elif isinstance(event, LeaveAsked):
            self._leaving = asyncio.ensure_future(self._left_in_turn())

    async def _left_in_turn(self) -> None:
        async with self._turn:
            await self._leave()

    async def _open(self) -> None:
        if self._desk is not None:
            return
        try:
            desk = open_desk(self._folder, ENVIRON, self._hear)
        except ManuscriptLocked:
            return  # this window only reads
        except WriterError as error:
            self.surprises.append(f"refused, but not by the lock: {error.sentence}")
            return
        await desk.open()
        if self.reads_when_opened or not self._window.text:
            loaded = await desk.chapters.read(CHAPTER)
            deleted = self._window.deleted
            self._window = Window(loaded.text, self._rnd, CHAPTER, deleted=deleted)
        else:
            desk.chapters.opened(CHAPTER, ChapterFile(self._folder / CHAPTER).read())
        self._desk = desk

    async def _type(self, word: str) -> None:
        if self._desk is not None:
            self._window.type(word)

    async def _save(self) -> None:
        if self._desk is not None:
            await self._saved(self._desk)
            self._window.take_over()

    async def _saved(self, desk: Desk) -> None:
        typed = set(words(self._window.text))
        if await desk.save(self._window.order()):
            self._kept |= typed
            self._saves += 1
        else:
            self.surprises.append("a save was refused")

    async def _look(self) -> None:
        if self._desk is not None:
            await self._desk.outside.look()
            self._window.take_over()

    async def _ask(self) -> None:
        if self._desk is None:
            try:
                await asyncio.to_thread(take_over, self._state_dir, PATIENCE)
            except ManuscriptLocked:
                return  # a third one was faster, or it is just being opened
            await self._open()

    async def _leave(self) -> None:
        """What a window does when it is asked to leave, or is closed."""
        desk, self._desk = self._desk, None
        if desk is None:
            return
        self._window.take_over()
        if self.saves_before_leaving:
            await self._saved(desk)
        await desk.close()
        self._kept |= set(words(self._window.text))  # for the author all of it is saved

    async def _crash(self) -> None:
        """As if killed: nothing more is saved. What a kernel does for a killed process is done by hand."""
        desk, self._desk = self._desk, None
        if desk is not None:
            desk.stop_warming()
            await desk.chapters.rest()
            desk._means.state.close()
            desk._means.lock.release()


async def serve(folder: Path, seed: str, commands: int, answers: int) -> None:
    """One window in this process: a command a line, an answer a line."""
    seat = Seat(folder, seed)
    reader = asyncio.StreamReader()
    pipe = os.fdopen(commands, "rb")
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    while line := await reader.readline():
        command, word = json.loads(line)
        if command == "end":
            return
        os.write(answers, json.dumps(await seat.do(command, word)).encode() + b"\n")
