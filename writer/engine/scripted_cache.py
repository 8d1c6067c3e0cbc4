"""A prefix cache that counts like vLLM's: whole blocks, chained from the start of the sequence."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from pathlib import Path

BLOCK_SIZE = 32
_DIGEST = 16


class PrefixCache:
    """Remembers blocks of ids. With a file, it outlives the process as a kept engine would."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        stored = file.read_bytes() if file is not None and file.exists() else b""
        whole = len(stored) - len(stored) % _DIGEST
        self._blocks = {stored[i : i + _DIGEST] for i in range(0, whole, _DIGEST)}

    def cached(self, token_ids: Sequence[int]) -> int:
        """Tokens at the start that need no work. The last token is always computed, as in vLLM."""
        count = 0
        for block in _chain(token_ids[:-1]):
            if block not in self._blocks:
                break
            count += BLOCK_SIZE
        return count

    def remember(self, token_ids: Sequence[int]) -> None:
        """All whole blocks of the sequence are cached from now on."""
        new = [block for block in _chain(token_ids) if block not in self._blocks]
        self._blocks.update(new)
        if new and self._file is not None:
            with self._file.open("ab") as file:
                file.write(b"".join(new))

    def clear(self) -> None:
        """Forgets all, as the death of an engine does."""
        self._blocks.clear()
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def _chain(token_ids: Sequence[int]) -> list[bytes]:
    blocks: list[bytes] = []
    last = b""
    for start in range(0, len(token_ids) - BLOCK_SIZE + 1, BLOCK_SIZE):
        ids = token_ids[start : start + BLOCK_SIZE]
        last = hashlib.blake2b(last + struct.pack(f"<{BLOCK_SIZE}q", *ids), digest_size=_DIGEST).digest()
        blocks.append(last)
    return blocks
