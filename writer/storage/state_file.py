"""One manuscript's state.db: opened once, under the manuscript's lock, by the writing thread."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from writer.errors import StateFull, StorageError
from writer.generation.model import Generation, State, StopCause
from writer.storage.ballast import Ballast
from writer.storage.copies import Copies
from writer.storage.database import backup, connect, mapped, transaction
from writer.storage.generations import GenerationStore
from writer.storage.library import Database
from writer.storage.spans import SpanStore


class StateFile:
    """The open database. `tail_may_be_missing` says that a killed run's WAL was removed by somebody.

    `home` is for the one who writes: the folder of the ballast and the rolling copies. With it, or with `prove`, every
    checksum is looked at first. `db`: open already, and not the file at `path`. Raises StorageError's kinds.
    """

    def __init__(
        self,
        path: Path,
        *,
        boot_id: str,
        now: Callable[[], float] = time.time,
        home: Path | None = None,
        db: Database | None = None,
        prove: bool = False,
    ) -> None:
        self._path = path
        self._wal = path.with_name(path.name + "-wal")
        with mapped():
            wal_there = self._wal.exists()
            existed = db is None and path.exists() and path.stat().st_size > 0
        self._now = now
        self._boot_id = boot_id
        self._ballast = Ballast(home / "ballast" if home else None)
        self._copies = Copies(home / "copies") if home else None
        self.notes: tuple[str, ...] = ()
        """Sentences for the author about how the state was found."""
        try:
            self._db = db or connect(path)
        except StorageError:
            self._leave_wal(needed=wal_there)
            raise
        try:
            self.tail_may_be_missing = existed and not wal_there and self._last_run_unclean()
            if home is not None or prove:
                GenerationStore(self._db, 0, now).prove()
            self._run = self._ballast.use(self._open_run)
            with contextlib.suppress(StateFull):
                self.checkpoint()  # so that a missing WAL can be told from one that never was
        except BaseException:
            self._db.conn.close()
            self._leave_wal(needed=db is None)
            raise
        self.generations = GenerationStore(self._db, self._run, now, self._ballast)
        self.spans = SpanStore(self._db, self._ballast)
        self._ballast.restore()

    def reconcile(self) -> list[Generation]:
        """Turns every RUNNING row into INTERRUPTED: nothing had to be written at death. Call once, at start."""
        found = [g for g in self.generations.all() if g.state is State.RUNNING]
        for generation in found:
            cause = StopCause.KILLED if self._boot_of(generation.id) == self._boot_id else StopCause.POWER
            self.generations.interrupt(generation.id, cause)
        return found

    def checkpoint(self) -> None:
        """Moves the WAL into the database and empties it."""
        with mapped():
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def rest(self) -> None:
        """At each rest of the writing: empties the WAL, takes the ballast's room again, keeps a copy if one is due."""
        self.checkpoint()
        self._ballast.restore()
        self._copy_if_due()

    def backup(self, target: Path) -> None:
        """A whole copy of the live database at `target`, which must not exist."""
        backup(self._db, target)

    def close(self) -> None:
        """A clean end: keeps a copy if one is due, marks the run closed and leaves no WAL behind."""
        marked = False
        try:
            self._copy_if_due()
            self._ballast.use(self._mark_closed)
            marked = True
        finally:
            self._db.conn.close()
            self._leave_wal(needed=not marked)

    def _mark_closed(self) -> None:
        with transaction(self._db):
            self._db.execute("UPDATE run SET closed_at=? WHERE id=?", (self._now(), self._run))

    def _leave_wal(self, *, needed: bool) -> None:
        """SQLite removes the WAL when it closes. Where no end could be marked, a run without one would look robbed."""
        if needed:
            with contextlib.suppress(OSError):
                os.close(os.open(self._wal, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))

    def _copy_if_due(self) -> None:
        """Raises StorageError only if the state itself cannot be read."""
        if self._copies is not None and self._copies.due(self._now()):
            sql, since = "SELECT count(*) FROM generation WHERE updated>?", self._copies.newest_at()
            with mapped():
                grown = self._db.execute(sql, (since,)).fetchone()[0]
            if grown:
                self._copies.keep(self._db, self._path, self._now())

    def _last_run_unclean(self) -> bool:
        with mapped():
            row = self._db.execute("SELECT closed_at FROM run ORDER BY id DESC LIMIT 1").fetchone()
        return row is not None and row[0] is None

    def _open_run(self) -> int:
        with transaction(self._db):
            cursor = self._db.execute(
                "INSERT INTO run(pid, boot_id, opened_at) VALUES(?,?,?)", (os.getpid(), self._boot_id, self._now())
            )
        return int(cursor.lastrowid or 0)

    def _boot_of(self, generation: str) -> str:
        sql = "SELECT boot_id FROM run JOIN generation ON run.id=generation.run WHERE generation.id=?"
        with mapped():
            return str(self._db.execute(sql, (generation,)).fetchone()[0])
