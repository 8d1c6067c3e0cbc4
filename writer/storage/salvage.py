"""Makes a sound state out of a damaged one and its copies. The damaged files are kept aside, never changed or lost.

The sound state is built beside the damaged one; from the moment it bears the name `state.db.mended` it will take its
place, even if the process is killed before it has.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from writer import locations
from writer.language import say, together
from writer.storage.copies import Copies, kept_at
from writer.storage.database import connect, damaged, mapped, sync, transaction
from writer.storage.generations import GenerationStore
from writer.storage.joining import Joined, join
from writer.storage.reading import PAGE, Found, read
from writer.storage.wal import mended

ASIDE = "damaged"
_WORK = ".salvage-"
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Rescued:
    """What a sound state was made of."""

    joined: Joined
    copy: Path | None
    """The copy that stands in for the damaged state, if nothing of that could be read."""


def mend(path: Path, copies: Sequence[Path]) -> str:
    """Puts a sound state in the place of the damaged one at `path`, which may be gone; one sentence for the author.

    Under the manuscript's lock. Raises StateFull, StateReadOnly.
    """
    with mapped():
        gone = not path.exists()
        for left in path.parent.glob(f"{_WORK}*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix=_WORK, dir=path.parent) as folder:
            new = Path(folder) / "new.db"
            rescued = rescue(path, new, copies)
            sync(new)
            os.replace(new, _beside(path, ".mended"))
        sync(path.parent)
        aside = finish(path)
    return told(rescued, "" if gone else say(", and the damaged file is kept in {aside}", aside=aside), gone=gone)


def seen_from_outside(path: Path) -> str:
    """Damage that SQLite does not tell: it begins anew in an empty file, and reads a log up to its first bad frame.

    "" if there is none. Raises OSError.
    """
    log = _beside(path, "-wal")
    size = path.stat().st_size if path.exists() else 0
    logged = log.stat().st_size if log.exists() else 0
    if size < PAGE:
        traces = logged or (path.parent / "ballast").exists() or Copies(path.parent / "copies").files()
        return "it is empty" if traces else ""
    return "its log" if logged and mended(log, PAGE) is not None else ""


def unreadable(path: Path) -> bool:
    """Whether the disk has lost a part of the database for good. Raises StateFull, StateReadOnly."""
    with mapped():
        return path.exists() and None in _pages(path)


def finish(path: Path) -> Path:
    """Moves the damaged files aside and the mended state in their place, if there is one; the folder they are in.

    Every step can be the last one before a kill: the next call goes on. Raises OSError.
    """
    new, folder = _beside(path, ".mended"), path.parent / ASIDE
    if not new.exists():
        return folder
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(new.stat().st_mtime))
    locations.private(folder)
    for old in (_beside(path, "-wal"), path):  # the log first: it must never meet the new database
        if old.exists():
            os.replace(old, folder / f"{stamp}-{old.name}")
    sync(folder)
    sync(path.parent)
    os.replace(new, path)
    sync(path.parent)
    return folder


def rescue(path: Path, target: Path, copies: Sequence[Path]) -> Rescued:
    """Makes a new state at `target` of what can be proved of `path` and its copies, all of which stay as they are.

    Raises StateFull, StateReadOnly: then nothing was decided.
    """
    with mapped():
        own = [_read(database, log, target.parent) for database, log in _own(path)]
        kept = [*copies, *sorted(path.parent.glob(f"{path.name}.bak-v*"), reverse=True)]
        sources = own + [_read(copy, b"", target.parent) for copy in kept]
    joined = join(sources)
    _write(joined, target)
    stands_in = [copy for copy, found in zip(kept, sources[len(own) :], strict=True) if found.generations]
    lost = not any(found.generations or found.batches for found in own)
    return Rescued(joined, stands_in[0] if lost and stands_in else None)


def told(rescued: Rescued, kept: str, *, gone: bool = False) -> str:
    """How much could be read, for the author. `kept`: where the damaged file is now, as the end of a sentence."""
    joined = rescued.joined
    was = (
        say("The saved state (state.db) was removed by another program") if gone else say("The saved state was damaged")
    )
    if not joined.generations:
        return say("{was}, and nothing of it could be read; your chapters are untouched{kept}.", was=was, kept=kept)
    if rescued.copy is not None:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept_at(rescued.copy)))
        return say(
            "{was}; its copy of {when} stands in for it, your chapters are untouched{kept}.",
            was=was,
            when=when,
            kept=kept,
        )
    lost = say(
        "The chapter of {homeless} texts is not known: `writer state export` has them.", homeless=joined.homeless
    )
    if joined.batches_kept == joined.batches_known:
        read = say("{was}; all of it that is known of could be read, your chapters are untouched{kept}.")
    else:
        read = say("{was}; {share} % of it could be read, your chapters are untouched{kept}.")
    share = min(99, 100 * joined.batches_kept // max(1, joined.batches_known))
    return together(read.format(was=was, share=share, kept=kept), lost if joined.homeless else "")


def _own(path: Path) -> Iterator[tuple[Path, bytes]]:
    """The damaged database with its log, as SQLite sees that and without the log's bad frames."""
    log = _beside(path, "-wal")
    yield path, _readable(log) if log.exists() else b""
    if (better := mended(log, PAGE)) is not None:
        yield path, better


def _read(database: Path, log: bytes, folder: Path) -> Found:
    """Reads a copy, since SQLite would write in the file. Raises what SQLite and the system say of the copy's disk."""
    copy = folder / "copy.db"
    try:
        copy.write_bytes(_readable(database) if database.exists() else b"")
        if log:
            _beside(copy, "-wal").write_bytes(log)
        return read(copy)
    finally:
        for left in (copy, _beside(copy, "-wal"), _beside(copy, "-shm"), _beside(copy, "-journal")):
            left.unlink(missing_ok=True)


def _readable(path: Path) -> bytes:
    """The file's bytes; a page that its disk cannot read is empty."""
    return b"".join(page or bytes(PAGE) for page in _pages(path))


def _pages(path: Path) -> list[bytes | None]:
    """None for a page that its disk cannot read, however often it is asked."""
    with path.open("rb", buffering=0) as file:
        return [_page(file.fileno(), at) for at in range(0, os.fstat(file.fileno()).st_size, PAGE)]


def _page(fd: int, at: int) -> bytes | None:
    for _ in range(_TRIES):
        try:
            return os.pread(fd, PAGE, at)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
    return None


def _write(joined: Joined, target: Path) -> None:
    """All of it in the one file `target`, and proved to be there: a log beside it would not come along."""
    db = connect(target)
    try:
        with transaction(db):
            for table, rows in _rows(joined):
                if rows:
                    db.conn.executemany(f"INSERT INTO {table} VALUES({','.join('?' * len(rows[0]))})", rows)
        with mapped():
            db.conn.execute("PRAGMA journal_mode=DELETE").fetchall()
        store = GenerationStore(db, 0, time.time)
        store.prove()
        if {found.id for found in store.all()} != set(joined.generations):
            raise damaged("what was put in order is not whole")
    finally:
        db.conn.close()


def _rows(joined: Joined) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """In the order that the references between tables ask for, each row with all columns of its table."""
    generations = list(joined.generations.values())
    runs = {row[19]: (row[19], 0, "", row[17], row[17]) for row in generations}
    # Each run counts as closed: that its log is missing is no news any more.
    runs |= {row[0]: (*row[:4], row[3] if row[4] is None else row[4]) for row in joined.runs.values()}
    yield "run", list(runs.values())
    yield "prompt", list(joined.prompts.values())
    yield "generation", [(*row[:11], row[19], row[17], row[18], row[16], *row[11:16]) for row in generations]
    yield "segment", list(joined.segments.values())
    yield (
        "batch",
        [(identity, *row[:5], row.text.decode(), row.crc) for identity, rows in joined.batches.items() for row in rows],
    )
    yield "sealed", list(joined.sealed.values())
    yield "span", [(number, *row) for number, row in enumerate(joined.spans, 1)]


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
