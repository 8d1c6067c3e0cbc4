"""A desk on a real database and real files, with the scripted engine, and a list of what it reported."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from writer.bootstrap import open_desk
from writer.manuscript.project import create
from writer.runtime.desk import Desk
from writer.runtime.events import BatchCommitted, DeskOpened, Event
from writer.storage.generations import CHECKSUM

E = TypeVar("E", bound=Event)
CHAPTER = "chapters/01-chapter-1.md"


@dataclass
class Bench:
    """One open desk and its reports."""

    folder: Path
    desk: Desk
    opened: DeskOpened
    events: list[Event] = field(default_factory=list)

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def text(self) -> str:
        return "".join(batch.text for batch in self.of(BatchCommitted))

    @property
    def ids(self) -> list[int]:
        return [i for batch in self.of(BatchCommitted) for i in batch.token_ids]

    def alter(self, column: str, value: str) -> None:
        """Changes a fact of every generation in the database, so that its checksum holds."""
        db = self.desk._means.state.generations._db
        db.execute(f"UPDATE generation SET {column}=?", (value,))
        db.execute(f"UPDATE generation SET crc={CHECKSUM.format('state', 'finish_reason', 'stopped_by')}")

    def file(self) -> str:
        return (self.folder / CHAPTER).read_text(encoding="utf-8")


@asynccontextmanager
async def bench(
    folder: Path, *, patience: int | None = None, watched: bool = False, **script: object
) -> AsyncIterator[Bench]:
    """Opens `folder` (made if need be) with a scripted engine of that script.

    Unless it is `watched`, other programs' changes are seen by saving and looking alone: a hint of the system may come
    before or after what the test does next.
    """
    if not (folder / "writer.toml").exists():
        create(folder, title="Salt")
    events: list[Event] = []
    environ = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps(script)}
    desk = open_desk(folder, environ, events.append, patience=patience)
    opened = await desk.open()
    if not watched:
        desk.outside.stop()
    try:
        yield Bench(folder, desk, opened, events)
    finally:
        await desk.close()
