"""Reads the state of a manuscript that another process holds open, from a copy. Never touches the live file's locks.

A copy is whole if no checkpoint ran while it was made: the WAL's header and the database's time are the same before
and after. The copy is opened as after a crash, so a batch that was half written when it was copied is left out.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from writer.errors import StateLocked, StorageError
from writer.storage.state_file import StateFile

_TRIES = 20
_LOOK_SECONDS = 3600  # far longer than any look takes
_WAL_HEADER = 32  # bytes; holds the salts that each restart of the WAL changes


@contextmanager
def snapshot(path: Path, *, boot_id: str) -> Iterator[StateFile]:
    """The state as of now, read-only in effect: what is written goes to the copy. Call from another process than
    the one that holds `path`."""
    with _folder(path.parent) as folder:
        copy = folder / "state.db"
        _copy(path, copy)
        state = StateFile(copy, boot_id=boot_id)
        try:
            yield state
        finally:
            state.close()


@contextmanager
def _folder(place: Path) -> Iterator[Path]:
    """A private folder that goes when it is left. Beside the state, or where temporary files go if it is refused."""
    try:
        _sweep(place)
        made = tempfile.TemporaryDirectory(prefix=".look-", dir=place)
    except OSError:
        made = tempfile.TemporaryDirectory(prefix="writer-look-")
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
        sentence = f"The saved state cannot be copied to look at it ({error.strerror}). Free space or check the disk."
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
    raise StateLocked("This manuscript is being written too fast to look at. Try again in a moment.")


def _mark(path: Path, wal: Path) -> tuple[int, bytes]:
    try:
        with wal.open("rb") as file:
            header = file.read(_WAL_HEADER)
    except FileNotFoundError:
        header = b""
    return path.stat().st_mtime_ns, header
