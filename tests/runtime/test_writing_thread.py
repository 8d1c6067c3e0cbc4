"""One thread owns the database, and whoever gives it orders never waits for it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conditions import wait_until

from writer import locations
from writer.bootstrap import open_desk, writing_thread
from writer.errors import ConfigError, StateFull
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.lock import ManuscriptLock
from writer.manuscript.project import create, open_manuscript
from writer.runtime.desk import Desk
from writer.runtime.events import (
    BatchCommitted,
    ChapterSaved,
    DeskOpened,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationPaused,
)
from writer.runtime.orders import DraftOrder, SaveOrder
from writer.runtime.thread import WritingThread

CHAPTER = "chapters/01-chapter-1.md"


class Reports:
    """What was told, and by which thread. `hold` keeps the writing thread inside the next report of that kind."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.threads: set[str] = set()
        self.hold: type[Event] | None = None
        self.held, self.let_go = threading.Event(), threading.Event()

    def __call__(self, event: Event) -> None:
        self.threads.add(threading.current_thread().name)
        self.events.append(event)
        if self.hold and isinstance(event, self.hold):
            self.hold = None
            self.held.set()
            assert self.let_go.wait(30)

    def have(self, kind: type[Event]) -> bool:
        return any(isinstance(event, kind) for event in self.events)


@contextmanager
def at_work(folder: Path, **script: object) -> Iterator[tuple[WritingThread, Reports]]:
    create(folder)
    _, _, thread = writing_thread(folder, {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps(script)})
    reports = Reports()
    thread.start(reports)
    wait_until(lambda: reports.have(DeskOpened))
    thread.opened(CHAPTER, ChapterFile(folder / CHAPTER).read())
    try:
        yield thread, reports
    finally:
        reports.let_go.set()
        thread.close().result(30)


def test_orders_are_taken_while_the_writing_thread_is_stuck(tmp_path: Path) -> None:
    with at_work(tmp_path / "w", finish_at=20, batch=[1, 1]) as (thread, reports):
        reports.hold = BatchCommitted
        thread.draft(DraftOrder(CHAPTER, ""))
        assert reports.held.wait(30)
        told = len(reports.events)
        thread.save(SaveOrder(CHAPTER, "By the author.\n", 1))
        thread.pause()
        thread.warm_up()
        assert len(reports.events) == told  # the orders came back, and nothing of them is done yet
        reports.let_go.set()
        wait_until(lambda: reports.have(ChapterSaved))
        wait_until(lambda: reports.have(GenerationPaused) or reports.have(GenerationFinished))


def test_one_thread_has_the_only_connection(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[tuple[str, str, bool]] = []
    connect = sqlite3.connect

    def recording(database: Any, *arguments: Any, **options: Any) -> sqlite3.Connection:
        bound = options.get("check_same_thread", True)
        opened.append((Path(database).name, threading.current_thread().name, bound))
        return connect(database, *arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", recording)
    with at_work(tmp_path / "w", finish_at=20) as (thread, reports):
        thread.draft(DraftOrder(CHAPTER, ""))
        wait_until(lambda: reports.have(GenerationFinished))
    assert opened == [("state.db", "writing", True)]  # bound: SQLite's module refuses every other thread
    assert reports.threads == {"writing"}


def test_a_desk_that_could_not_open_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(self: Desk) -> None:
        raise StateFull("The disk is full.")

    create(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Desk, "open", refuse)
        _, _, thread = writing_thread(tmp_path, {"WRITER_ENGINE": "scripted"})
        reports = Reports()
        thread.start(reports)
        wait_until(lambda: reports.have(GenerationFailed))
        thread.close().result(30)
    _, _, thread = writing_thread(tmp_path, {"WRITER_ENGINE": "scripted"})  # raises if the lock is still held
    reports = Reports()
    thread.start(reports)
    wait_until(lambda: reports.have(DeskOpened))
    assert [event.notes for event in reports.events if isinstance(event, DeskOpened)] == [()]
    thread.close().result(30)


def test_a_close_while_it_opens_closes_what_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = Desk.open

    async def slowly(self: Desk) -> DeskOpened:
        while len(asyncio.all_tasks()) < 2:  # until it is being closed
            await asyncio.sleep(0.001)
        for _ in range(100):
            await asyncio.sleep(0.001)
        return await at_once(self)

    monkeypatch.setattr(Desk, "open", slowly)
    create(tmp_path)
    _, _, thread = writing_thread(tmp_path, {"WRITER_ENGINE": "scripted"})
    thread.start(Reports())
    thread.close().result(30)
    wait_until(lambda: not thread._thread.is_alive())
    ManuscriptLock.take(locations.state_dir(open_manuscript(tmp_path).id)).release()


def test_settings_that_name_no_engine_leave_the_state_alone(tmp_path: Path) -> None:
    manuscript = create(tmp_path)
    with pytest.raises(ConfigError):
        open_desk(tmp_path, {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": "nonsense"}, lambda event: None)
    assert not (locations.state_dir(manuscript.id) / "state.db").exists()


def test_what_came_to_nothing_before_it_was_started_closes(tmp_path: Path) -> None:
    create(tmp_path)
    _, _, thread = writing_thread(tmp_path, {"WRITER_ENGINE": "scripted"})
    thread.close().result(30)
