"""Other programs that write in a chapter: careful ones, stale ones, ones that are slow, that remove, that convert."""

from __future__ import annotations

import os
import random
from pathlib import Path

from edits_window import edited, words


class Others:
    """All other programs of one history. What they do to each other's words is theirs to answer for."""

    def __init__(self, file: Path, rnd: random.Random) -> None:
        self._file = file
        self._rnd = rnd
        self._buffers: list[str] = []
        self._half: bytes | None = None
        self._count = 0
        self.inserted: set[str] = set()
        self.deleted: set[str] = set()
        """Words of others that one of them has taken out again, or has written over before anyone could see them."""
        self.removals = 0

    def load(self) -> None:
        """One of them reads the file, to write it back some time later without looking again."""
        if (text := self._read()) is not None:
            self._buffers.append(text)

    def write(self, seen: str) -> None:
        """One of them writes. `seen` is the last text of the file that we are known to have looked at."""
        now = self._read()
        kind = self._rnd.random()
        if self._half is not None:
            self._finish()
        elif now is None or kind < 0.55:
            self._save(self._changed(now if now is not None else seen), seen)
        elif kind < 0.8 and self._buffers:
            stale = self._rnd.randrange(len(self._buffers))
            self._buffers[stale] = self._changed(self._buffers[stale])
            self._save(self._buffers[stale], seen)
        elif kind < 0.86:
            self._save(now.replace("\r\n", "\n").replace("\n", "\r\n"), seen)
        elif kind < 0.9:
            self._forget(now, "", seen)
            self._half = self._changed(now).encode()
            self._file.write_bytes(b"")
        elif kind < 0.93:
            self._forget(now, "", seen)
            self._file.unlink()
            self.removals += 1
        else:
            self._save(now, seen)

    def rest(self) -> None:
        """Nothing is left half done."""
        if self._half is not None:
            self._finish()

    def _finish(self) -> None:
        data, self._half = self._half or b"", None
        self._save(data.decode(), "")

    def _changed(self, text: str) -> str:
        for _ in range(self._rnd.randrange(1, 4)):
            self._count += 1
            new = f"t{self._count}"
            at, removed, inserted = edited(text, self._rnd, new)
            self.deleted |= set(words(text[at : at + removed]))
            self.inserted.add(new)
            text = text[:at] + inserted + text[at + removed :]
        return text

    def _save(self, text: str, seen: str) -> None:
        self._forget(self._read() or "", text, seen)
        if self._rnd.random() < 0.5:
            self._file.write_bytes(text.encode())
        else:
            other = self._file.with_name("other.tmp")
            other.write_bytes(text.encode())
            os.replace(other, self._file)

    def _forget(self, before: str, after: str, seen: str) -> None:
        """Words of theirs on the disk that we had no chance to see are lost by them, not by us."""
        self.deleted |= {word for word in words(before) if word[0] == "t"} - set(words(after)) - set(words(seen))

    def _read(self) -> str | None:
        try:
            return self._file.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            return None
