"""Opens the one connection to a manuscript's state database. The only door to SQLite and sqlite-utils.

One connection, in one thread, under the manuscript's lock: this makes the WAL-reset bug of SQLite before 3.51.3
unreachable. Never open the live file a second time in this process: closing any handle would drop its locks.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from writer.errors import StateDamaged, StateFull, StateLocked, StateReadOnly, StateTooNew, StorageError
from writer.language import say
from writer.storage.library import Database
from writer.storage.migrations import LATEST, described, learn, migrations, schema

APPLICATION_ID = 0x57524954  # "WRIT"
LONGEST = 1 << 26  # bytes of one value; a damaged length asks for no more memory than that
_HEADER = (
    (0, 16, (b"SQLite format 3\0",)),
    (18, 20, (b"\1\1", b"\2\2")),  # a greater number would make it read-only, as if the folder were
    (21, 24, (b"\x40\x20\x20",)),
    (44, 48, tuple(bytes((0, 0, 0, format)) for format in range(5))),  # SQLite calls a later one no damage
    (56, 60, (b"\0\0\0\1", bytes(4))),
)
"""What every database of ours has in its header: (from, to, one of these bytes).

Last: its texts are UTF-8, which is not noted yet, and the same to SQLite, where a kill came before the first table.
"""
_FUTURE = LATEST + 1000  # no writer has made so many versions: such a number is damage

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
    """Turns SQLite's and the system's errors into ours. `transaction` has rolled back what failed."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _translated(error) from error
    except UnicodeDecodeError as error:  # SQLite hands on whatever bytes stand in a damaged file
        raise damaged(repr(error)) from error
    except OSError as error:
        raise _refused(error) from error


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
    """The database at `path` in the present schema, made 0600 if it is not there.

    Raises StateLocked, StateReadOnly, StateFull, StateTooNew or StateDamaged.
    """
    with mapped():
        _begin_private(path)
        conn = sqlite3.connect(path, timeout=2.0, isolation_level=None, check_same_thread=True)
        try:
            _prepare(conn)
            db = Database(conn, execute_plugins=False)
            _upgrade(db, path)
        except BaseException:
            conn.close()
            raise
        return db


def in_memory(path: Path) -> Database:
    """What lies in the file at `path`, without its log, where nothing can be written. The file is not touched.

    Raises StateTooNew or StateDamaged.
    """
    with mapped():
        source = sqlite3.connect(f"file:{quote(str(path))}?immutable=1", uri=True)
        conn = sqlite3.connect(":memory:", isolation_level=None)
        try:
            source.backup(conn)
            _prepare(conn)
            db = Database(conn, execute_plugins=False)
            _upgrade(db, None)
        except BaseException:
            conn.close()
            raise
        finally:
            source.close()
        return db


def backup(db: Database, target: Path) -> None:
    """A whole, compact copy of the live database at `target`, which must not exist; 0600, and durable."""
    with mapped():
        try:
            db.conn.execute("VACUUM INTO ?", [str(target)])
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        target.chmod(0o600)
        sync(target)
        sync(target.parent)


def sync(path: Path) -> None:
    """Makes a file, or the names in a folder, durable. Raises OSError. Never for the live database: see above."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _begin_private(path: Path) -> None:
    # SQLite gives -wal the mode of the database, which would be 0644 if SQLite made it.
    # Before there is a connection, this is the one moment at which its header can be looked at.
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        header = os.pread(fd, 100, 0)
    finally:
        os.close(fd)
    if len(header) == 100 and any(header[at:end] not in values for at, end, values in _HEADER):
        raise damaged("its header is not that of a database of ours")


def _prepare(conn: sqlite3.Connection) -> None:
    learn(conn)
    conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    for pragma in _PRAGMAS:
        conn.execute(f"PRAGMA {pragma}").fetchall()
    tables = conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]  # takes the lock, recovers the WAL
    found, version = (conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if found == 0 and not tables:
        conn.execute(f"PRAGMA application_id={APPLICATION_ID}")
    elif found != APPLICATION_ID:
        raise damaged("it does not bear writer's number")
    if LATEST < version < _FUTURE:
        raise StateTooNew(
            say(
                "This manuscript's state was written by a newer version of writer, so nothing is changed in it. "
                "Update writer, then open it again."
            )
        )
    if not 0 <= version <= LATEST or described(conn) != schema(version):
        raise damaged(f"its tables are not those of version {version}")
    _check(conn)


def _check(conn: sqlite3.Connection) -> None:
    answer = conn.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if answer != "ok":
        raise damaged(str(answer))
    if orphan := conn.execute("SELECT * FROM pragma_foreign_key_check LIMIT 1").fetchone():
        raise damaged(f"a row of {orphan[0]} belongs to nothing")


def _upgrade(db: Database, path: Path | None) -> None:
    """Brings an older schema up to date in one transaction, once a copy of it is safe. Under the manuscript's lock."""
    version = db.conn.execute("PRAGMA user_version").fetchone()[0]
    if version == LATEST:
        return
    if version and path is not None:
        copy = path.with_name(f"{path.name}.bak-v{version}")
        copy.unlink(missing_ok=True)
        backup(db, copy)
    with transaction(db):
        migrations.apply(db)
    _check(db.conn)


def damaged(detail: str) -> StateDamaged:
    """The error for a state that is not as SQLite or we wrote it."""
    return StateDamaged(
        say(
            "The saved state of this manuscript is damaged. Your chapters are untouched. "
            "Open it with `writer`, which takes over what can be read; `writer state export` only looks."
        ),
        detail=detail,
    )


def _refused(error: OSError) -> StorageError:
    kind = StateFull if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO) else StateReadOnly
    where = f" ({error.filename})" if error.filename else ""
    sentence = say(
        "The saved state{where} cannot be written: {why}. Free space on its disk or mend permissions.",
        where=where,
        why=error.strerror,
    )
    return kind(sentence, detail=repr(error))


def _translated(error: sqlite3.DatabaseError) -> StorageError:
    code = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
    if "Could not decode" in str(error):  # text that is none, which Python finds and SQLite does not
        return damaged(str(error))
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        what = say("The disk is full") if code == sqlite3.SQLITE_FULL else say("The disk reports an error")
        return StateFull(say("{what}: paused. Free some space; nothing shown is lost.", what=what), detail=str(error))
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StateReadOnly(
            say("The state folder cannot be written. Check its permissions and whether the disk is read-only."),
            detail=str(error),
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StateLocked(
            say("Another program holds this manuscript's state. Close it, then try again."), detail=str(error)
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG):
        return damaged(str(error))
    return StorageError(
        say("The state database refused a request ({error}). Start writer again.", error=error), detail=str(error)
    )
