"""What is known of who wrote which passage of a chapter, with the text that it is true for. In the state folder.

A convenience, not the author's text: if it is lost or damaged, the chapter is whole all the same. So nothing waits for
the disk here, and a record that cannot be read counts as none.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

from writer import locations
from writer.errors import StorageError
from writer.manuscript.atomic import temporary_of

_LARGEST = 64 * 1024 * 1024  # bytes of a record, unpacked


@dataclass(frozen=True, slots=True)
class Origin:
    """`stored` is the text form of editing/provenance.py; it is true for `text`."""

    text: str
    stored: str


class Origins:
    """One record per chapter of one manuscript, in `folder` (the caller gives `<state>/origins`)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, chapter: str, origin: Origin) -> bool:
        """Takes the place of what was known of the chapter. False if it could not be kept."""
        data = zlib.compress(json.dumps([chapter, origin.text, origin.stored]).encode())
        try:
            file = self._file(chapter, locations.private(self._folder))
            temporary = temporary_of(file)
            try:
                temporary.write_bytes(data)
                os.replace(temporary, file)
            finally:
                temporary.unlink(missing_ok=True)
        except (OSError, StorageError):
            return False
        return True

    def find(self, chapter: str, text: str) -> Origin | None:
        """What was known last; of another chapter, if it has this very text now: then that one was renamed."""
        own = _read(self._file(chapter, self._folder))
        if own is not None:
            return own
        others = (_read(file) for file in sorted(self._folder.glob("*.z")))
        return next((found for found in others if found is not None and text and found.text == text), None)

    def _file(self, chapter: str, folder: Path) -> Path:
        return folder / f"{hashlib.sha256(os.fsencode(chapter)).hexdigest()[:16]}.z"


def _read(file: Path) -> Origin | None:
    try:
        unpacked = zlib.decompressobj().decompress(file.read_bytes(), _LARGEST)
        _, text, stored = json.loads(unpacked)
    except (OSError, zlib.error, ValueError, TypeError):
        return None
    return Origin(text, stored) if isinstance(text, str) and isinstance(stored, str) else None
