"""What an engine has read, kept on disk: private, never larger than the settings say, erased on request.

vLLM writes a file for each block and never removes one. Standard library only: the keeper looks after it, in a thread.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from writer.errors import EngineStartFailed
from writer.language import say

_KEPT_FOR = 300.0  # seconds: what was used since then may just be being read
_DOWN_TO = 0.9  # of the limit, so that not every look has to remove something
FOLDER = "kv"  # below the cache folder


LEAST_STAGING = 256 * 2**20
SHARED = Path("/dev/shm")  # where vLLM has the blocks between GPU and disk
_OF_MEMORY, _OF_SHARED = 0.25, 0.8


def staging(longest: int, free_memory: int, shared: Path = SHARED) -> int:
    """Bytes of main memory between GPU and disk: room for the longest text and a little more, if there is so much.

    `longest` is a whole window in bytes. Raises EngineStartFailed if there is too little to be of use.
    """
    try:
        there = os.statvfs(shared)
        free = there.f_bavail * there.f_frsize * _OF_SHARED
    except OSError:
        free = 0.0
    room = int(min(longest * 5 // 4, free, free_memory * _OF_MEMORY if free_memory else free))
    if room < LEAST_STAGING:
        raise EngineStartFailed(
            say(
                "engine.kv_disk_gib needs at least {least_staging} MiB of shared memory in {shared}, where "
                "only {free} MiB may be taken. Enlarge it, or set engine.kv_disk_gib to 0.",
                least_staging=LEAST_STAGING >> 20,
                shared=shared,
                free=int(free) >> 20,
            )
        )
    return room


@dataclass(frozen=True, slots=True)
class _Block:
    """A file, and when it was last used, in UTC seconds."""

    used: float
    size: int
    path: str


def ready(folder: Path, limit: int) -> None:
    """Makes the folder for one engine (0700, and all above it that is missing), and room in the one above."""
    for place in (folder.parent, folder):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if place.stat().st_mode & 0o077:
            place.chmod(0o700)
    prune(folder.parent, limit)


def size(root: Path) -> int:
    """Bytes of all blocks below it."""
    return sum(block.size for block in _blocks(root))


def prune(root: Path, limit: int) -> int:
    """Removes what was not used for longest until the rest fits into `limit` bytes; how many bytes went."""
    blocks = sorted(_blocks(root), key=lambda block: block.used)
    total = sum(block.size for block in blocks)
    if total <= limit:
        return 0
    gone, young = 0, time.time() - _KEPT_FOR
    for block in blocks:
        if total - gone <= limit * _DOWN_TO or block.used > young:
            break
        try:
            os.unlink(block.path)
            gone += block.size
        except FileNotFoundError:
            gone += block.size
        except OSError:
            continue
    return gone


def forget(root: Path) -> int:
    """Removes all of it; how many bytes went. Raises OSError."""
    if not root.is_dir() or root.is_symlink():
        return 0
    held = size(root)
    shutil.rmtree(root)
    return held


def _blocks(root: Path) -> Iterator[_Block]:
    """Regular files only; no link is followed."""
    folders = [os.fspath(root)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif stat.S_ISREG((found := entry.stat(follow_symlinks=False)).st_mode):
                        yield _Block(max(found.st_atime, found.st_mtime), found.st_size, entry.path)
        except OSError:
            continue  # it was removed meanwhile


class Warden:
    """Keeps the folder within its limit while an engine writes there. `look` costs nothing most of the time."""

    def __init__(self, folder: str, limit: int, every: float = 60.0) -> None:
        self._root = Path(folder).parent if folder else None
        self._limit = limit
        self._every = every
        self._last = time.monotonic()
        self._work: threading.Thread | None = None

    def look(self) -> None:
        """Begins a look at the disk, in a thread, if it is time and the last one has ended."""
        if self._root is None or time.monotonic() - self._last < self._every:
            return
        if self._work is None or not self._work.is_alive():
            self._last = time.monotonic()
            self._work = threading.Thread(target=prune, args=(self._root, self._limit), name="kv", daemon=True)
            self._work.start()

    def rest(self) -> None:
        """Waits for a look that is under way."""
        if self._work is not None:
            self._work.join()
