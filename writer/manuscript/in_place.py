"""Writing over a file that cannot be replaced: hard links, a closed folder, an owner that we may not give.

Such a write can be torn. So old and new bytes are first made durable in a record elsewhere, and `settle` finishes
what a killed process left half-written. Without the record nothing is overwritten.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable
from pathlib import Path

from writer.manuscript import atomic

_BLOCK = 512
_MAGIC = b"writer-record-1"


def overwrite(target: Path, data: bytes, folder: Path, guard: Callable[[], bytes]) -> None:
    """Write `data` over `target` after a record in `folder`. `guard` returns the old bytes, or raises.

    Raises OSError; the old bytes are then back in the file, or the record waits for `settle`.
    """
    old = guard()
    record = _record(target, folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    head = b"%s %d %d\n" % (_MAGIC, len(old), len(data))
    atomic.write_new(record, head + old + data)
    try:
        guard()
    except BaseException:
        record.unlink()
        raise
    try:
        _fill(target, data)
    except OSError:
        _fill(target, old)
        record.unlink()
        raise
    if target.read_bytes() == data:
        record.unlink()


def settle(target: Path, folder: Path) -> None:
    """Finish a write that was cut short, if one was. What is not ours to judge stays as it is, record included."""
    record = _record(target, folder)
    try:
        head, _, body = record.read_bytes().partition(b"\n")
        magic, size, _ = head.split(b" ")
        old, new = body[: int(size)], body[int(size) :]
        disk = target.read_bytes()
    except (OSError, ValueError):
        return
    if magic != _MAGIC:
        return
    if disk in (old, new):
        record.unlink()
    elif _torn(disk, old, new):
        _fill(target, new)
        record.unlink()
    else:  # changed since by someone else: out of the way, but not away
        os.replace(record, record.with_suffix(".kept"))


def _record(target: Path, folder: Path) -> Path:
    return folder / f"{hashlib.sha256(os.fsencode(target)).hexdigest()[:16]}.record"


def _fill(target: Path, data: bytes) -> None:
    fd = os.open(target, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        atomic.write_all(fd, data)
        os.ftruncate(fd, len(data))
        os.fsync(fd)
    finally:
        os.close(fd)


def _torn(disk: bytes, old: bytes, new: bytes) -> bool:
    """Whether each byte is the old one or the new one of its place, or was never written (zero)."""
    sizes = len(old), len(new)
    if not min(sizes) <= len(disk) <= max(sizes):
        return False
    for at in range(0, len(disk), _BLOCK):
        block, was, becomes = (data[at : at + _BLOCK] for data in (disk, old, new))
        if block not in (was, becomes):  # compared byte by byte only where it must be
            choices = itertools.zip_longest(block, was[: len(block)], becomes[: len(block)])
            if not all(byte in (one, other, 0) for byte, one, other in choices):
                return False
    return True
