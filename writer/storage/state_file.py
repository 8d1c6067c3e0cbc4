"""One manuscript's state.db: opened once, under the manuscript's lock, by the writing thread."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from sqlite_utils import Database

from writer.generation.model import Generation, State, StopCause
from writer.storage.database import backup, connect, mapped, transaction
from writer.storage.generations import GenerationStore
from writer.storage.spans import SpanStore


class StateFile:
    """The open database. `tail_may_be_missing` says that a killed run's WAL was removed by somebody."""

    def __init__(self, path: Path, *, boot_id: str, now: Callable[[], float] = time.time) -> None:
        wal_there = path.with_name(path.name + "-wal").exists()
        existed = path.exists() and path.stat().st_size > 0
        self._db: Database = connect(path)
        self._now = now
        self._boot_id = boot_id
        self.tail_may_be_missing = existed and not wal_there and self._last_run_unclean()
        self._run = self._open_run()
        self.generations = GenerationStore(self._db, self._run, now)
        self.spans = SpanStore(self._db)

    def reconcile(self) -> list[Generation]:
        """Turns every RUNNING row into INTERRUPTED: nothing had to be written at death. Call once, at start."""
        found = [g for g in self.generations.all() if g.state is State.RUNNING]
        for generation in found:
            cause = StopCause.KILLED if self._boot_of(generation.id) == self._boot_id else StopCause.POWER
            with transaction(self._db):
                # `updated` stays: it says when the last token came.
                self._db.execute(
                    "UPDATE generation SET state=?, stopped_by=? WHERE id=?", (State.INTERRUPTED, cause, generation.id)
                )
        return found

    def checkpoint(self) -> None:
        """Moves the WAL into the database and empties it; call at each rest."""
        with mapped():
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def backup(self, target: Path) -> None:
        """A whole copy of the live database at `target`, which must not exist."""
        backup(self._db, target)

    def close(self) -> None:
        """A clean end: marks the run closed and leaves no WAL behind."""
        try:
            with transaction(self._db):
                self._db.execute("UPDATE run SET closed_at=? WHERE id=?", (self._now(), self._run))
        finally:
            self._db.conn.close()

    def _last_run_unclean(self) -> bool:
        with mapped():
            row = self._db.execute("SELECT closed_at FROM run ORDER BY id DESC LIMIT 1").fetchone()
        return row is not None and row[0] is None

    def _open_run(self) -> int:
        with transaction(self._db):
            cursor = self._db.execute(
                "INSERT INTO run(pid, boot_id, opened_at) VALUES(?,?,?)", (os.getpid(), self._boot_id, self._now())
            )
        self.checkpoint()  # so that a missing WAL can be told from one that never was
        return int(cursor.lastrowid or 0)

    def _boot_of(self, generation: str) -> str:
        sql = "SELECT boot_id FROM run JOIN generation ON run.id=generation.run WHERE generation.id=?"
        with mapped():
            return str(self._db.execute(sql, (generation,)).fetchone()[0])
