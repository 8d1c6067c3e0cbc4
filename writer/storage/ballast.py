"""A file that takes up room, so that a full disk still has some: what happened can be recorded, and the end marked.

It is given up as soon as the disk refuses something, and made again once there is plenty of room.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from writer.errors import StateFull

SIZE = 1 << 20  # bytes
_PLENTY = 4 * SIZE  # free bytes from which on it is made; it must not be what fills a disk
T = TypeVar("T")


class Ballast:
    """The ballast at `path`; of no weight without one. Nothing here raises OSError."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.spent = False
        """Whether it was given up and is not back yet."""

    def use(self, work: Callable[[], T]) -> T:
        """Does this small piece of work; if the disk is full, once more in the room that the ballast took."""
        try:
            return work()
        except StateFull:
            if not self.release():
                raise
            return work()

    def release(self) -> bool:
        """Gives its room to others. False if there is none to give."""
        if self._path is None:
            return False
        try:
            self._path.unlink()
        except OSError:
            return False
        self.spent = True
        return True

    def restore(self) -> bool:
        """Takes its room again if the disk has plenty. Whether it is in place, or never was needed."""
        if self._path is None:
            return True
        try:
            if not self._path.exists() and shutil.disk_usage(self._path.parent).free >= _PLENTY:
                self._make(self._path)
            self.spent = self.spent and not self._path.exists()
        except OSError:
            return not self.spent
        return not self.spent

    def _make(self, path: Path) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            try:
                os.write(fd, os.urandom(SIZE))  # what does not compress, or it would weigh nothing on some disks
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
