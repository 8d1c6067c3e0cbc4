"""A file that grows while it is downloaded: how far it is, whether there is room for more, whether it is right."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from writer.catalogue.values import HubFile

SPARE = 300_000_000
"""Bytes of the disk that stay free for the author's text."""
_LOOK = 32 * 2**20
"""Bytes between two looks at how much room is left."""
_BLOCK = 2**20
_FULL = (errno.ENOSPC, errno.EDQUOT)


class NoRoom(Exception):
    """The disk is full, or nearly."""


class DiskFailed(Exception):
    """The disk does not take what came; the text says why."""


class TooLong(Exception):
    """More came than was announced."""


class PartFile:
    """What `http_get` writes into, at its end. Not more than `size` bytes, and not into the last of the disk."""

    def __init__(self, path: Path, size: int, free: Callable[[Path], int], grown: Callable[[int], None]) -> None:
        """`grown` is called with the number of bytes that have come, or less than nothing for what is thrown away."""
        self._path, self._size, self._free, self._grown = path, size, free, grown
        self._file = path.open("ab")
        self._unseen = _LOOK

    @property
    def length(self) -> int:
        """Bytes that are there."""
        return self._file.tell()

    def write(self, data: bytes) -> int:
        """Raises NoRoom, TooLong or DiskFailed: no OSError, which is what a broken connection is."""
        if self._file.tell() + len(data) > self._size:
            raise TooLong
        self._unseen += len(data)
        if self._unseen >= _LOOK:
            self._unseen = 0
            if self._free(self._path.parent) < SPARE:
                raise NoRoom
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            if error.errno in _FULL:
                raise NoRoom from None
            raise DiskFailed(error.strerror or str(error)) from None
        self._grown(len(data))
        return len(data)

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def truncate(self, size: int | None = None) -> int:
        """Throw away what stands behind `size`, or behind where we are."""
        end = self._path.stat().st_size
        kept = self._file.tell() if size is None else size
        self._file.truncate(kept)
        self._grown(kept - end)
        return kept

    def begin_anew(self) -> None:
        """Throw everything away."""
        self._file.seek(0)
        self.truncate()

    def close(self) -> None:
        """To the disk."""
        try:
            os.fsync(self._file.fileno())
        finally:
            self._file.close()


def is_right(path: Path, file: HubFile) -> bool:
    """Whether size and digest are those that the hub names. Reads all of it."""
    if path.stat().st_size != file.size:
        return False
    if len(file.digest) == 64:
        return sha256(path) == file.digest
    found = hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as data:
        while block := data.read(_BLOCK):
            found.update(block)
    return found.hexdigest() == file.digest


def sha256(path: Path) -> str:
    """As hex."""
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
