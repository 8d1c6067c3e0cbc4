"""What tells that a file may have changed, without reading it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

Mark = tuple[int, int, int] | None  # inode, size, nanoseconds; None: there is no such file


def mark_of(file: Path) -> Mark:
    """The file's mark now."""
    try:
        facts = os.stat(file)
    except OSError:
        return None
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


def marks_of(files: Iterable[Path]) -> tuple[Mark, ...]:
    """The marks of these files, in their order."""
    return tuple(map(mark_of, files))
