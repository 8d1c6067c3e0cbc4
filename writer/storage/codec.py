"""How batches become bytes, and the chained checksum that proves them. Pure."""

from __future__ import annotations

import hashlib
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, count, repeat
from operator import add
from typing import NamedTuple

from writer.errors import StateDamaged
from writer.generation.model import Saved, TokenBatch

LARGEST = 1 << 28  # bytes that anything packed may have once it is unpacked
_HEAD = struct.Struct("<II")
_TYPES = [int, int, int, bytes, bytes, bytes, int]  # of a batch's columns; a damaged file may hold others


class Row(NamedTuple):
    """A batch as it lies in the database. `crc` covers it and, through the one before it, all of its generation."""

    ordinal: int
    start: int
    n: int
    ids: bytes
    ends: bytes
    text: bytes
    crc: int


def pack(numbers: Iterable[int]) -> bytes:
    """Little-endian uint32, 4 bytes each."""
    packed = array("I", numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def unpack(data: bytes) -> tuple[int, ...]:
    """Inverse of `pack`. Raises StateDamaged if the length is not a multiple of 4."""
    return tuple(_numbers(data))


def _numbers(data: bytes) -> array[int]:
    packed = array("I")
    try:
        packed.frombytes(data)
    except ValueError as error:
        raise StateDamaged("A saved batch is damaged.", detail=str(error)) from error
    if sys.byteorder == "big":
        packed.byteswap()
    return packed


def prompt_key(token_ids: Iterable[int]) -> str:
    """The sha256 by which a prompt is stored."""
    return packed_key(pack(token_ids))


def packed_key(packed: bytes) -> str:
    """The same of a packed prompt."""
    return hashlib.sha256(packed).hexdigest()


def expand(data: bytes) -> bytes:
    """Inverse of zlib.compress. Raises StateDamaged, also where more comes out than anything of ours has."""
    inflating = zlib.decompressobj()
    try:
        expanded = inflating.decompress(data, LARGEST)
    except zlib.error as error:
        raise StateDamaged("A saved record is damaged.", detail=str(error)) from error
    if not inflating.eof or inflating.unused_data:
        raise StateDamaged("A saved record is damaged.", detail=f"{len(data)} bytes that end at the wrong place")
    return expanded


def chained(crc: int, row: Row) -> int:
    """The checksum that `row` must bear, given the one before it (0 for the first)."""
    return zlib.crc32(row.text, zlib.crc32(row.ends, zlib.crc32(row.ids, zlib.crc32(_head(row), crc))))


def _head(row: Row) -> bytes:
    try:
        return _HEAD.pack(row.ordinal, row.start)
    except struct.error as error:
        raise StateDamaged("A saved batch is damaged.", detail=repr(error)) from error


def rowed(batch: TokenBatch, crc: int) -> Row:
    """The batch as it is stored, `crc` being the checksum of the one before it."""
    row = Row(
        batch.ordinal,
        batch.start,
        len(batch.token_ids),
        pack(batch.token_ids),
        pack(batch.ends),
        batch.text.encode(),
        crc,
    )
    return row._replace(crc=chained(crc, row))


def sealed_crc(generation: str, batches: int, n: int, *packed: bytes) -> int:
    """The checksum of a sealed generation: what it is, how long, and its packed ids, ends and text."""
    return _over(packed, facts_crc(generation, batches, n))


def resealed(generation: str, batches: int, n: int, ids: bytes, ends: bytes, text: bytes, crc: int) -> int:
    """That checksum in place of the first schema's, which covered the packed parts alone; -1 if that did not hold."""
    return sealed_crc(generation, batches, n, ids, ends, text) if _over((ids, ends, text), 0) == crc else -1


def _over(parts: Iterable[bytes], crc: int) -> int:
    for part in parts:
        crc = zlib.crc32(part, crc)
    return crc


def facts_crc(*facts: str | int | None) -> int:
    """The checksum of a row that is no batch. What a fact is matters, and where it ends."""
    crc = 0
    for fact in facts:
        data = b"-" if fact is None else str(fact).encode()
        crc = zlib.crc32(data, zlib.crc32(_HEAD.pack(len(data), fact is None), crc))
    return crc


class Reel:
    """The batches of a generation, taken in one after the other, as one."""

    def __init__(self) -> None:
        self._ids = array("I")
        self._ends = array("I")
        self._pieces: list[str] = []
        self._shown = 0
        self.count = 0
        self.crc = 0

    def take(self, row: Row) -> None:
        """The next batch. Raises StateDamaged, and takes nothing, on a gap, a wrong checksum, or a rewind of text."""
        if [type(value) for value in row] != _TYPES:
            raise StateDamaged("A saved batch is damaged.", detail=f"batch {row.ordinal!r}")
        if row.ordinal != self.count or row.start > len(self._ids):
            raise StateDamaged("A saved batch is missing.", detail=f"batch {row.ordinal}")
        if chained(self.crc, row) != row.crc:
            raise StateDamaged("A saved batch does not match its checksum.", detail=f"batch {row.ordinal}")
        if (self._ends[row.start - 1] if row.start else 0) != self._shown:
            raise StateDamaged("A saved batch takes shown text back.", detail=f"batch {row.ordinal}")
        ids, ends, text = _numbers(row.ids), _numbers(row.ends), _text(row.text)
        if not len(ids) == len(ends) == row.n:
            raise StateDamaged("A saved batch is damaged.", detail=f"batch {row.ordinal}: {row.n} tokens")
        if row.start < len(self._ids):
            del self._ids[row.start :], self._ends[row.start :]
        self._ids.extend(ids)
        shown = self._shown
        self._ends.extend(array("I", [shown + end for end in ends]))
        self._pieces.append(text)
        self._shown = shown + len(text)
        self.count += 1
        self.crc = row.crc

    @property
    def tokens(self) -> int:
        """How many there are by now."""
        return len(self._ids)

    @property
    def shown(self) -> int:
        """How many characters there are by now."""
        return self._shown

    def saved(self) -> Saved:
        """All of it."""
        return Saved(tuple(self._ids), "".join(self._pieces), tuple(self._ends), self.count)


def fold(rows: Sequence[Row | tuple[int, int, int, bytes, bytes, bytes, int]]) -> tuple[Saved, int]:
    """All batches of a generation as one, and the last checksum. Raises StateDamaged as `Reel.take` does."""
    reel = Reel()
    for row in rows:
        reel.take(Row._make(row))
    return reel.saved(), reel.crc


def fold_fast(rows: Sequence[tuple[bytes, bytes, bytes, int]]) -> tuple[Saved, int, tuple[int, ...]] | None:
    """The same of (ids, ends, text, crc), many times as fast, a column at a time. None if anything is unusual or wrong.

    Last: what the caller must find as number of rows and as sums of their ordinals, starts and token counts.
    """
    if not rows:
        return Saved(), 0, (0, 0, 0, 0)
    ids, ends, texts, stored = zip(*rows, strict=True)
    try:
        sizes = list(map(len, ids))
        if min(sizes) < 4 or list(map(len, ends)) != sizes:
            return None
        tokens = [size // 4 for size in accumulate(sizes, initial=0)]
        numbers = pack(chain.from_iterable(zip(count(), tokens[:-1])))
        heads = [numbers[at : at + 8] for at in range(0, len(numbers), 8)]
        crc, checksum = 0, zlib.crc32
        for data, expected in zip(map(b"".join, zip(heads, ids, ends, texts, strict=True)), stored, strict=True):
            crc = checksum(data, crc)
            if crc != expected:
                return None
        lengths = [len(text.decode()) for text in texts]
        within = _numbers(b"".join(ends))
        if [within[end - 1] for end in tokens[1:]] != lengths:  # text after the last token, or some that is taken back
            return None
        before = chain.from_iterable(map(repeat, accumulate(lengths, initial=0), (size // 4 for size in sizes)))
        saved = Saved(unpack(b"".join(ids)), b"".join(texts).decode(), tuple(map(add, before, within)), len(rows))
    except (OverflowError, UnicodeDecodeError, TypeError, AttributeError, StateDamaged):
        return None
    return saved, crc, (len(rows), len(rows) * (len(rows) - 1) // 2, sum(tokens[:-1]), tokens[-1])


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise StateDamaged("A saved batch is damaged.", detail=repr(error)) from error
