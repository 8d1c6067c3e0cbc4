"""Rows of the database as values, each held against its checksum. The types in a damaged row may be any."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from writer.errors import StateDamaged
from writer.generation.model import Fingerprint, Generation, Sampling, Saved, State, StopCause
from writer.storage.codec import expand, facts_crc, pack, prompt_key, sealed_crc, unpack


def sealed_of(row: Sequence[Any]) -> Saved:
    """A sealed generation, from (batches, n, ids, ends, text, crc). Raises StateDamaged."""
    batches, n, *packed = row
    prove_sealed(packed)
    try:
        ids, ends, text = (expand(part) for part in packed[:3])
        saved = Saved(unpack(ids), text.decode(), unpack(ends), int(batches))
        if len(saved.token_ids) != n:
            raise ValueError(f"{n} tokens")
    except (ValueError, TypeError) as error:
        raise StateDamaged("A sealed generation is not what its record says.", detail=repr(error)) from error
    return saved


def sealed_row(saved: Saved) -> tuple[int, int, bytes, bytes, bytes, int]:
    """Inverse of `sealed_of`."""
    packed = (
        zlib.compress(pack(saved.token_ids)),
        zlib.compress(pack(saved.ends)),
        zlib.compress(saved.text.encode()),
    )
    return (saved.batches, len(saved.token_ids), *packed, sealed_crc(packed))


def prove_sealed(packed: Sequence[Any]) -> None:
    """Holds (ids, ends, text, crc) against each other, without unpacking them. Raises StateDamaged."""
    if not all(isinstance(part, bytes) for part in packed[:3]) or sealed_crc(packed[:3]) != packed[3]:
        raise StateDamaged("A sealed generation does not match its checksum.")


def generation_of(row: Sequence[Any]) -> Generation:
    """A generation, from the facts that its checksum covers, then crc, created, updated, the packed prompt if it is
    wanted, and the number of tokens. Raises StateDamaged."""
    try:
        if facts_crc(*row[:11]) != row[11]:
            raise ValueError("its checksum")
        return _read(row)
    except (ValueError, TypeError, StateDamaged) as error:
        raise StateDamaged("The record of a generation is damaged.", detail=f"{row[0]!r}: {error!r}") from error


def _read(row: Sequence[Any]) -> Generation:
    prompt = unpack(expand(row[14])) if row[14] is not None else ()
    if row[14] is not None and prompt_key(prompt) != row[7]:
        raise ValueError("its prompt's checksum")
    return Generation(
        id=row[0],
        chapter=row[1],
        state=State(row[2]),
        finish_reason=row[3],
        stopped_by=StopCause(row[4]) if row[4] else None,
        instruction=row[5],
        sampling=Sampling(**json.loads(row[6])),
        fingerprint=Fingerprint(*row[8:11]),
        created=float(row[12]),
        updated=float(row[13]),
        prompt_ids=prompt,
        tokens=int(row[15]),
    )
