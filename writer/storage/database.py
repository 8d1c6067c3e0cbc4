"""Opens the one connection to a manuscript's state database. The only door to SQLite and sqlite-utils.

One connection, in one thread, under the manuscript's lock: this makes the WAL-reset bug of SQLite before 3.51.3
unreachable. Never open the live file a second time in this process: closing any handle would drop its locks.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlite_utils import Database

from writer.errors import StateDamaged, StateFull, StateLocked, StateReadOnly, StateTooNew, StorageError
from writer.storage.migrations import LATEST, migrations

APPLICATION_ID = 0x57524954  # "WRIT"

_PRAGMAS = (
    "locking_mode=EXCLUSIVE",  # no shared memory file; a second process is refused
    "journal_mode=WAL",
    "synchronous=FULL",  # a returned COMMIT survives a power cut
    "fullfsync=1",
    "checkpoint_fullfsync=1",
    "wal_autocheckpoint=256",  # a damaged WAL loses its tail silently: keep it short
    "journal_size_limit=4194304",
    "foreign_keys=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "mmap_size=0",
    "temp_store=MEMORY",
)


@contextmanager
def mapped() -> Iterator[None]:
    """Turns SQLite's errors into ours. A failed transaction is already rolled back by `transaction`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _translated(error) from error
    except UnicodeDecodeError as error:  # SQLite hands on whatever bytes stand in a damaged file
        raise _damaged(repr(error)) from error


@contextmanager
def transaction(db: Database) -> Iterator[None]:
    """BEGIN IMMEDIATE … COMMIT; once it is left without an error, what was written survives a power cut."""
    with mapped():
        db.conn.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.conn.execute("COMMIT")
        except BaseException:
            if db.conn.in_transaction:
                db.conn.execute("ROLLBACK")
            raise


def connect(path: Path) -> Database:
    """The migrated database at `path`, made 0600 if it is not there.

    Raises StateLocked, StateReadOnly, StateFull, StateTooNew or StateDamaged.
    """
    with mapped():
        _create_private(path)
        conn = sqlite3.connect(path, timeout=2.0, isolation_level=None, check_same_thread=True)
        try:
            _prepare(conn)
            db = Database(conn, execute_plugins=False)
            _migrate(db, path)
        except BaseException:
            conn.close()
            raise
        return db


def backup(db: Database, target: Path) -> None:
    """A whole, compact copy of the live database at `target`, which must not exist; 0600."""
    with mapped():
        db.conn.execute("VACUUM INTO ?", [str(target)])
    target.chmod(0o600)


def _create_private(path: Path) -> None:
    # SQLite gives -wal the mode of the database, which would be 0644 if SQLite made it.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        sentence = (
            f"The state folder {path.parent} cannot be written ({error.strerror}). Free space or mend its permissions."
        )
        raise (StateFull if error.errno == 28 else StateReadOnly)(sentence) from error


def _prepare(conn: sqlite3.Connection) -> None:
    for pragma in _PRAGMAS:
        conn.execute(f"PRAGMA {pragma}").fetchall()
    conn.execute("SELECT count(*) FROM sqlite_master").fetchall()  # takes the lock, recovers the WAL
    found = conn.execute("PRAGMA application_id").fetchone()[0]
    if found not in (0, APPLICATION_ID):
        raise StateDamaged("The state file is not one of writer's. Move it away, then start again.")
    if found == 0:
        conn.execute(f"PRAGMA application_id={APPLICATION_ID}")
    answer = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
    if answer != "ok":
        raise _damaged(str(answer))


def _migrate(db: Database, path: Path) -> None:
    version = db.conn.execute("PRAGMA user_version").fetchone()[0]
    if version > LATEST:
        raise StateTooNew(
            "This manuscript's state was written by a newer version of writer. Update writer, then open it again."
        )
    if version == LATEST:
        return
    if version:
        copy = path.with_name(f"{path.name}.bak-v{version}")
        copy.unlink(missing_ok=True)
        backup(db, copy)
    migrations.apply(db)


def _damaged(detail: str) -> StateDamaged:
    return StateDamaged(
        "The saved state of this manuscript is damaged. Your chapters are untouched. "
        "Run `writer state check` on the manuscript to see what can be saved.",
        detail=detail,
    )


def _translated(error: sqlite3.DatabaseError) -> StorageError:
    code = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        what = "The disk is full" if code == sqlite3.SQLITE_FULL else "The disk reports an error"
        return StateFull(f"{what}: paused. Free some space; nothing shown is lost.", detail=str(error))
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StateReadOnly(
            "The state folder cannot be written. Check its permissions and whether the disk is read-only.",
            detail=str(error),
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StateLocked(
            "Another program holds this manuscript's state. Close it, then try again.", detail=str(error)
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(str(error))
    return StorageError(f"The state database refused a request ({error}). Start writer again.", detail=str(error))
