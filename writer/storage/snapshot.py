"""Reads the state of a manuscript that another process holds open, from a copy. Never touches the live file's locks.

On a disk that can only be read the copy lies elsewhere; where no file can be made at all, it is in memory.

A copy is whole if no checkpoint ran while it was made: the WAL's header and the database's time are the same before
and after. The copy is opened as after a crash, so a batch that was half written when it was copied is left out.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from writer.errors import StateDamaged, StateLocked, StorageError
from writer.language import say
from writer.storage import salvage
from writer.storage.copies import Copies
from writer.storage.database import damaged, in_memory
from writer.storage.state_file import StateFile

_TRIES = 20
_LOOK_SECONDS = 3600  # far longer than any look takes
_MEMORY = Path("/dev/shm")
_WITHOUT_LOG = say("No file can be made on this machine, so the newest words, in state.db-wal, are not looked at.")
_log = logging.getLogger(__name__)
_WAL_HEADER = 32  # bytes; holds the salts that each restart of the WAL changes


@contextmanager
def snapshot(path: Path, *, boot_id: str, salvaging: bool = False) -> Iterator[StateFile]:
    """The state as of now, read-only in effect: what is written goes to the copy. Call from another process than
    the one that holds `path`.

    Raises StateDamaged; with `salvaging`, what can be read of a damaged state is there, and its `notes` say how much.
    """
    with _folder(path.parent) as folder:
        state = _looked_at(path, folder, boot_id, salvaging=salvaging)
        try:
            yield state
        finally:
            state.close()


def _looked_at(path: Path, folder: Path | None, boot_id: str, *, salvaging: bool) -> StateFile:
    if folder is None:
        state = StateFile(path, boot_id=boot_id, db=in_memory(path))
        wal = path.with_name(path.name + "-wal")
        state.notes = (_WITHOUT_LOG,) if wal.exists() and wal.stat().st_size else ()
        return state
    copy = folder / "state.db"
    _copy(path, copy)
    damage = salvage.seen_from_outside(copy)
    if not salvaging:
        if damage:
            raise damaged(damage)
        return StateFile(copy, boot_id=boot_id)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}  # SQLite mends what it opens, in its way
    try:
        if damage:
            raise damaged(damage)
        state = StateFile(copy, boot_id=boot_id, prove=True)
    except StateDamaged as error:
        _log.warning("the state is damaged: %s", error.detail)
        for name, data in before.items():
            (folder / name).write_bytes(data)
        rescued = salvage.rescue(copy, folder / "sound.db", Copies(path.parent / "copies").files())
        state = StateFile(folder / "sound.db", boot_id=boot_id)
        state.notes = (salvage.told(rescued, say(", and the state is left as it is")),)
    return state


@contextmanager
def _folder(place: Path) -> Iterator[Path | None]:
    """A private folder that goes when it is left: beside the state, where temporary files go, in memory; or None."""
    made = None
    for wanted in (place, None, _MEMORY):
        try:
            if wanted == place:
                _sweep(place)
            made = tempfile.TemporaryDirectory(prefix=".look-" if wanted == place else "writer-look-", dir=wanted)
            break
        except OSError:
            continue
    if made is None:
        yield None
        return
    with made as folder:
        yield Path(folder)


def _sweep(place: Path) -> None:
    """Copies of looks that were killed hold manuscript text: they go once no look can still be using them."""
    for left in place.glob(".look-*"):
        if time.time() - left.stat().st_mtime > _LOOK_SECONDS:
            shutil.rmtree(left)


def _copy(path: Path, copy: Path) -> None:
    try:
        _copy_whole(path, copy)
    except OSError as error:
        sentence = say(
            "The saved state cannot be copied to look at it ({why}). Free space or check the disk.", why=error.strerror
        )
        raise StorageError(sentence, detail=repr(error)) from error


def _copy_whole(path: Path, copy: Path) -> None:
    wal = path.with_name(path.name + "-wal")
    for _ in range(_TRIES):
        before = _mark(path, wal)
        shutil.copyfile(path, copy)
        if wal.exists():
            shutil.copyfile(wal, copy.with_name(copy.name + "-wal"))
        if _mark(path, wal) == before:
            return
    raise StateLocked(say("This manuscript is being written too fast to look at. Try again in a moment."))


def _mark(path: Path, wal: Path) -> tuple[int, bytes]:
    try:
        with wal.open("rb") as file:
            header = file.read(_WAL_HEADER)
    except FileNotFoundError:
        header = b""
    return path.stat().st_mtime_ns, header
