"""The process whose power is cut: it streams into one chapter and saves another, and says what it has shown.

All of it is the real thing (desk, runner, store, chapter files) but the engine, which is the scripted one. `PLANTS` are
the mistakes that the stage must find.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from writer.bootstrap import open_desk
from writer.generation.model import Sampling
from writer.manuscript import atomic
from writer.manuscript.project import add_chapter, create
from writer.runtime.desk import Desk
from writer.runtime.events import BatchCommitted, ChapterSaved, Event, Offer
from writer.runtime.headless import Headless
from writer.runtime.orders import SaveOrder
from writer.storage import database
from writer.storage.generations import GenerationStore

STREAMED, SAVED = "chapters/01-chapter-1.md", "chapters/02-two.md"
SAMPLING = Sampling(seed=11, max_tokens=600, ignore_eos=True)
ENVIRON = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"batch": [1, 4]})}
Say = Callable[[list[object]], None]
_PR_SET_PDEATHSIG = 1


def body(number: int) -> str:
    """A version of the saved chapter: recognisable, and of another length than its neighbours."""
    return f"{number:08d} " * (1500 + number % 700)


def number_of(data: bytes) -> int:
    """Which version these bytes are; -1 if they are none."""
    head = data[:8]
    return int(head) if head.isdigit() and data == body(int(head)).encode() else -1


def prepare(folder: Path) -> None:
    """A manuscript with two chapters, all of it on the disk."""
    manuscript = add_chapter(create(folder, title="Whole"), "Two")
    assert [chapter.path for chapter in manuscript.chapters] == [STREAMED, SAVED]
    (folder / SAVED).write_text(body(0))
    os.sync()


def start(folder: Path, *, streams: bool, plant: str = "") -> tuple[int, int]:
    """A child that writes until it is killed, and dies with us: (process id, pipe of what it says)."""
    reader, writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reader)
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == parent:
                logging.disable()  # what it cannot write any more is no news
                PLANTS[plant]()
                asyncio.run(write(folder, lambda line: _say(writer, line), streams=streams))
        finally:
            os._exit(0)
    os.close(writer)
    return pid, reader


def _say(fd: int, line: list[object]) -> None:
    os.write(fd, json.dumps(line).encode() + b"\n")


async def write(folder: Path, say: Say, *, streams: bool, saves: bool = True) -> None:
    """Opens, goes on with what was begun or begins, and saves the other chapter again and again meanwhile."""

    def show(event: Event) -> None:
        if isinstance(event, BatchCommitted):
            say(["shown", event.tokens, event.text])
        elif isinstance(event, ChapterSaved) and event.chapter == SAVED:
            say(["saved", event.serial])

    front = Headless(show, autosave=0.005)
    desk = open_desk(folder, ENVIRON, front)
    try:
        offers = [offer for offer in (await desk.open()).offers if not offer.truncated]
        streaming = asyncio.ensure_future(_stream(desk, front, offers)) if streams else None
        if saves:
            await _save_on(desk, folder)
        if streaming is not None:
            await streaming
    finally:
        await desk.close()


async def _stream(desk: Desk, front: Headless, offers: list[Offer]) -> None:
    if offers:
        await front.resume(desk, offers[0])
    elif not desk._means.state.generations.all():
        await front.draft(desk, STREAMED, "", SAMPLING)


async def _save_on(desk: Desk, folder: Path) -> None:
    number = number_of((folder / SAVED).read_bytes())
    while True:
        number += 1
        await desk.save(SaveOrder(SAVED, body(number), number))


# --- mistakes


def _not_durable() -> None:
    database._PRAGMAS = tuple(p.replace("synchronous=FULL", "synchronous=NORMAL") for p in database._PRAGMAS)


def _no_folder_sync() -> None:
    atomic.sync_folder = lambda folder: None


def _in_place() -> None:
    def overwrite(target: Path, data: bytes, guard: Callable[[], object]) -> None:
        guard()
        target.write_bytes(data)

    atomic.replace = overwrite


def _shown_before_commit() -> None:
    """Each batch is committed only when the next one comes."""
    honest, waiting = GenerationStore.append, []

    def late(self: GenerationStore, batch: Any, **how: Any) -> None:
        waiting.append((batch, how))
        if len(waiting) > 1:
            old, its = waiting.pop(0)
            honest(self, old, **its)

    GenerationStore.append = late  # type: ignore[method-assign]


PLANTS: dict[str, Callable[[], None]] = {
    "": lambda: None,
    "synchronous=NORMAL": _not_durable,
    "no folder fsync": _no_folder_sync,
    "in place": _in_place,
    "shown before commit": _shown_before_commit,
}
