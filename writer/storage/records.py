"""Rows of the database as values, each held against its checksum. The types in a damaged row may be any."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from writer.errors import StateDamaged
from writer.generation.model import Fingerprint, Generation, Sampling, Saved, State, StopCause
from writer.storage.codec import expand, facts_crc, pack, packed_key, sealed_crc, unpack

FACTS = 16
"""How many columns the checksum of a generation covers: see `generations.CHECKSUM`."""
NOT_ASIDE = ("text", "", 0, 0, 0)
"""The last five of them in every generation of the schemas that had none beside its chapter."""


def sealed_of(row: Sequence[Any]) -> Saved:
    """A sealed generation, from its row. Raises StateDamaged."""
    prove_sealed(row)
    try:
        ids, ends, text = (expand(part) for part in row[3:6])
        saved = Saved(unpack(ids), text.decode(), unpack(ends), row[1])
        if len(saved.token_ids) != row[2]:
            raise ValueError(f"{row[2]} tokens")
    except ValueError as error:
        raise StateDamaged("A sealed generation is not what its record says.", detail=repr(error)) from error
    return saved


def sealed_row(generation: str, saved: Saved) -> tuple[str, int, int, bytes, bytes, bytes, int]:
    """Inverse of `sealed_of`."""
    packed = (
        zlib.compress(pack(saved.token_ids)),
        zlib.compress(pack(saved.ends)),
        zlib.compress(saved.text.encode()),
    )
    facts = (generation, saved.batches, len(saved.token_ids))
    return (*facts, *packed, sealed_crc(*facts, *packed))


def prove_sealed(row: Sequence[Any]) -> None:
    """Holds a row (generation, batches, n, ids, ends, text, crc) against its checksum. Raises StateDamaged."""
    *covered, crc = row
    if [type(value) for value in covered] != [str, int, int, bytes, bytes, bytes] or sealed_crc(*covered) != crc:
        raise StateDamaged("A sealed generation does not match its checksum.", detail=repr(row[0]))


def generation_of(row: Sequence[Any]) -> Generation:
    """A generation, from the facts that its checksum covers, then crc, created, updated, the packed prompt if it is
    wanted, and the number of tokens. Raises StateDamaged."""
    try:
        if facts_crc(*row[:FACTS]) != row[FACTS]:
            raise ValueError("its checksum")
        return _read(row)
    except (ValueError, TypeError, StateDamaged) as error:
        raise StateDamaged("The record of a generation is damaged.", detail=f"{row[0]!r}: {error!r}") from error


def _read(row: Sequence[Any]) -> Generation:
    return Generation(
        id=row[0],
        chapter=row[1],
        state=State(row[2]),
        finish_reason=row[3],
        stopped_by=StopCause(row[4]) if row[4] else None,
        instruction=row[5],
        sampling=Sampling(**json.loads(row[6])),
        fingerprint=Fingerprint(*row[8:11]),
        created=float(row[17]),
        updated=float(row[18]),
        prompt_ids=_prompt(row[19], row[7]) if row[19] is not None else (),
        tokens=int(row[20]),
        role=row[11],
        parent=row[12],
        parent_tokens=row[13],
        place=(row[14], row[15]),
    )


@lru_cache(maxsize=4)
def _prompt(compressed: bytes, key: str) -> tuple[int, ...]:
    """A prompt's ids. A text that goes on asks for the same long one several times, and its reader waits meanwhile."""
    packed = expand(compressed)
    if packed_key(packed) != key:
        raise ValueError("its prompt's checksum")
    return unpack(packed)
