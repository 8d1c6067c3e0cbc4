"""The process that the crash tests kill: saves numbered versions of a chapter and says which one is saved.

`how` names the real thing or a planted mistake, which the same tests must find.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from writer.errors import WriterError
from writer.manuscript import atomic
from writer.manuscript.chapter_file import ChapterFile

PADDING = 2000


def body(number: int) -> str:
    """The text of a version: recognisable, and of another length than its neighbours."""
    return f"{number:08d} " * (PADDING + number % 700)


def number_of(data: bytes) -> int:
    """Which version these bytes are; -1 if they are none."""
    head = data[:8]
    return int(head) if head.isdigit() and data == body(int(head)).encode() else -1


def plant(how: str) -> None:
    """Put a mistake into this process."""
    if how == "in place":
        atomic.replace = lambda target, data, guard: (guard(target), target.write_bytes(data))[0]  # type: ignore[assignment]
    elif how == "blind":
        ChapterFile._unchanged = lambda self, known, path=None: (path or self._target).read_bytes()  # type: ignore[method-assign]
    elif how == "no fsync":
        atomic.os.fsync = lambda fd: None  # type: ignore[attr-defined]


def save_on(chapter: Path, records: Path, say: Callable[[str], object], times: int | None = None) -> None:
    """Save one version after the other; `times` None is until killed."""
    file = ChapterFile(chapter, backup_dir=records)
    loaded = file.read()
    number = int(loaded.text[:8])
    while times is None or times > 0:
        number += 1
        loaded = file.save(body(number), loaded)
        say(f"{number}\n")
        times = None if times is None else times - 1


def main(folder: Path, how: str, times: int) -> None:
    plant(how)
    rehearsal = folder / "rehearsal.md"  # everything that is loaded late is loaded now
    for _ in range(2):
        save_on(rehearsal, folder / "records", lambda said: None, 1)
        if not (folder / "twin.md").exists():
            os.link(rehearsal, folder / "twin.md")
    os.close(os.open(folder / "begin", os.O_RDONLY))
    try:
        save_on(folder / "01.md", folder / "records", lambda said: os.write(1, said.encode()), times)
    except WriterError:
        os.write(1, b"refused\n")
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
