"""Looks into a write-ahead log without SQLite, which takes a damaged one for a short one and says nothing.

A torn write at the end of the log is what a kill or a power cut leaves, and is no damage: only the last transaction,
which was not acknowledged, is not whole. More than that behind a bad frame means that somebody changed the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEADER, FRAME = 32, 24  # bytes: the log's header, and that of each page in it
_MAGIC = (0x377F0682, 0x377F0683)  # checksums of little-endian and of big-endian words
_VERSION = 3007000
Sum = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Frame:
    head: bytes  # page number, size of the database behind a commit or 0
    salts: bytes
    stored: Sum
    page: bytes

    @property
    def commits(self) -> bool:
        return self.head[4:8] != b"\0\0\0\0"


def mended(wal: Path, page_size: int) -> bytes | None:
    """The log without its bad frames, if it is damaged in the middle; None if it is whole, torn at its end, or absent.

    What comes out holds every good frame with a new checksum. Where the newest version of a page is lost, its database
    is not consistent, so it is only for reading what can be proved. Raises OSError.
    """
    try:
        data = wal.read_bytes()
    except FileNotFoundError:
        return None
    frames = list(_frames(data, page_size))
    if not frames:
        return None
    big = data[3] & 1 == 1
    header_good = _header_is_good(data, page_size)
    salts = data[16:24] if header_good else _usual_salts(frames)
    good = list(_good(frames, salts, _stored(data[24:32]) if header_good else None, big=big))
    if not _damaged(frames, good, header_good):
        return None
    return _written([frame for frame, is_good in zip(frames, good, strict=True) if is_good], salts, page_size)


def _frames(data: bytes, page_size: int) -> Iterator[_Frame]:
    for at in range(HEADER, len(data) - FRAME - page_size + 1, FRAME + page_size):
        body = at + FRAME
        yield _Frame(
            data[at : at + 8], data[at + 8 : at + 16], _stored(data[at + 16 : body]), data[body : body + page_size]
        )


def _good(frames: list[_Frame], salts: bytes, before: Sum | None, *, big: bool) -> Iterator[bool]:
    """Each frame by itself: its checksum goes on from the one that is written in the frame before it."""
    for frame in frames:
        yield frame.salts == salts and (
            before is None or _sum(frame.head + frame.page, before, big=big) == frame.stored
        )
        before = frame.stored


def _damaged(frames: list[_Frame], good: list[bool], header_good: bool) -> bool:
    """Whether more is behind the first bad frame than the one transaction that may have been cut short."""
    first_bad = 0 if not header_good else next((n for n, is_good in enumerate(good) if not is_good), len(good))
    commits = sum(frame.commits for frame, is_good in zip(frames[first_bad:], good[first_bad:], strict=True) if is_good)
    return commits >= 2


def _usual_salts(frames: list[_Frame]) -> bytes:
    salts = [frame.salts for frame in frames]
    return max(salts, key=salts.count)


def _header_is_good(data: bytes, page_size: int) -> bool:
    magic, version, size = struct.unpack(">III", data[:12])
    if magic not in _MAGIC or version != _VERSION or size != page_size:
        return False
    return _sum(data[:24], (0, 0), big=magic == _MAGIC[1]) == _stored(data[24:32])


def _written(frames: list[_Frame], salts: bytes, page_size: int) -> bytes:
    head = struct.pack(">IIII", _MAGIC[0], _VERSION, page_size, 0) + salts
    before = _sum(head, (0, 0), big=False)
    parts = [head, struct.pack(">II", *before)]
    for frame in frames:
        before = _sum(frame.head + frame.page, before, big=False)
        parts += [frame.head, salts, struct.pack(">II", *before), frame.page]
    return b"".join(parts)


def _stored(data: bytes) -> Sum:
    first, second = struct.unpack(">II", data)
    return first, second


def _sum(data: bytes, before: Sum, *, big: bool) -> Sum:
    """SQLite's running checksum over pairs of words."""
    first, second = before
    words = struct.unpack(f"{'>' if big else '<'}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
