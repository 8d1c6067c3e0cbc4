"""How batches become bytes, and the chained checksum that proves them. Pure."""

from __future__ import annotations

import hashlib
import sys
import zlib
from array import array
from collections.abc import Iterable

from writer.errors import StateDamaged
from writer.generation.model import Saved, TokenBatch


def pack(numbers: Iterable[int]) -> bytes:
    """Little-endian uint32, 4 bytes each."""
    packed = array("I", numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def unpack(data: bytes) -> tuple[int, ...]:
    """Inverse of `pack`. Raises StateDamaged if the length is not a multiple of 4."""
    packed = array("I")
    try:
        packed.frombytes(data)
    except ValueError as error:
        raise StateDamaged("A saved batch is damaged.", detail=str(error)) from error
    if sys.byteorder == "big":
        packed.byteswap()
    return tuple(packed)


def prompt_key(token_ids: Iterable[int]) -> str:
    """The sha256 by which a prompt is stored."""
    return hashlib.sha256(pack(token_ids)).hexdigest()


def chain(crc: int, batch: TokenBatch) -> int:
    """The checksum after `batch`, given the one before it (0 for the first)."""
    for part in (pack((batch.ordinal, batch.start)), pack(batch.token_ids), pack(batch.ends), batch.text.encode()):
        crc = zlib.crc32(part, crc)
    return crc


def fold(batches: Iterable[TokenBatch]) -> Saved:
    """All batches of a generation as one. Raises StateDamaged on a gap, or where shown text would be rewound."""
    ids: list[int] = []
    ends: list[int] = []
    pieces: list[str] = []
    shown = count = 0
    for batch in batches:
        if batch.ordinal != count or batch.start > len(ids) or (ends[batch.start - 1] if batch.start else 0) != shown:
            raise StateDamaged("A saved batch is missing.", detail=f"{batch.generation}: batch {batch.ordinal}")
        del ids[batch.start :], ends[batch.start :]
        ids.extend(batch.token_ids)
        ends.extend(shown + end for end in batch.ends)
        pieces.append(batch.text)
        shown += len(batch.text)
        count += 1
    return Saved(tuple(ids), "".join(pieces), tuple(ends), count)
