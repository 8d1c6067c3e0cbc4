"""Shared memory that an engine leaves in /dev/shm when it is killed: hundreds of megabytes each time.

Noted while the engine lives, removed when it has ended. Only what is provably its own: made since the keeper began,
mapped by processes of its session, and mapped by nobody who lives now. Standard library only.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from writer.engine import proc
from writer.engine.keeper_state import KeeperFolder, write_private

SHM = Path("/dev/shm")


class Leftovers:
    """The shared memory of one engine. The record lies in the keeper's folder, for a keeper that is killed itself."""

    def __init__(self, folder: KeeperFolder, *, root: Path = SHM) -> None:
        self._file = folder.shared_file
        self._root = root
        self._before = _all(root)
        self._ours: dict[str, int] = {}
        self._write()

    def note(self, pids: Iterable[int]) -> None:
        """Remembers what these processes, all of the engine, have mapped by now. Some milliseconds for each."""
        found = {
            name: inode
            for pid in pids
            for name, inode in _mapped(pid, self._root).items()
            if self._before.get(name) != inode
        }
        if not found.items() <= self._ours.items():
            self._ours |= found
            self._write()

    def remove(self) -> list[str]:
        """Removes what is left, once the engine has ended. Returns the names."""
        return _remove(self._ours, self._root)

    def _write(self) -> None:
        write_private(self._file, {"ours": self._ours})


def remove_recorded(folder: KeeperFolder, *, root: Path = SHM) -> list[str]:
    """The same for an engine whose keeper was killed, by the record in its folder."""
    try:
        values = json.loads(folder.shared_file.read_text(encoding="utf-8"))["ours"]
        ours = {str(name): int(inode) for name, inode in values.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []
    return _remove(ours, root)


def _remove(ours: dict[str, int], root: Path) -> list[str]:
    held = _held_by_anyone(root) if ours else set()
    return [name for name, inode in ours.items() if name not in held and _unlink(root, name, inode)]


def _unlink(root: Path, name: str, inode: int) -> bool:
    if Path(name).name != name:
        return False
    try:
        found = (root / name).lstat()
        same = found.st_ino == inode and found.st_uid == os.getuid() and stat.S_ISREG(found.st_mode)
        if same and found.st_nlink == 1:
            (root / name).unlink()
            return True
    except OSError:
        pass  # gone already, or not ours after all
    return False


def _all(root: Path) -> dict[str, int]:
    """Name and inode of everything there; a name that comes back with another inode is another file."""
    found = {}
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                found[entry.name] = entry.inode()
    except OSError:
        pass
    return found


def _held_by_anyone(root: Path) -> set[str]:
    """All that living processes of this user have mapped. The files are 0600: nobody else can."""
    mine = [process.pid for process in proc.everyone() if process.uid == os.getuid()]
    return {name for pid in mine for name in _mapped(pid, root)}


def _mapped(pid: int, root: Path) -> dict[str, int]:
    """Name → inode of what a process has mapped below `root`; nothing of one that does not let us look."""
    prefix = f"{root}/"
    try:
        lines = Path(f"/proc/{pid}/maps").read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        fields = line.split(None, 5)
        if len(fields) == 6 and fields[5].startswith(prefix) and not fields[5].endswith(" (deleted)"):
            found[fields[5].removeprefix(prefix)] = int(fields[4])
    return found
