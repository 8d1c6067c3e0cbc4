"""How many words each chapter had, day by day: `words.jsonl` in the state folder. What was written is the difference.

One line per change: {"day": "2026-11-29", "chapter": "chapters/01-the-sea.md", "words": 1234, "base": 1000}. `base` is
what the chapter had when the day began; the last line of a day and chapter holds. A torn last line is left out.
Nothing here is precious: the words themselves are in the chapters.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from writer.manuscript import atomic

FILE = "words.jsonl"
_MOST_BYTES = 16 * 1024 * 1024
_SPARE = 500  # lines that are out of date before the file is written anew


@dataclass(frozen=True, slots=True)
class Count:
    """One chapter on one day."""

    day: str
    """"2026-11-29", of the author's own clock."""
    chapter: str
    words: int
    base: int

    @property
    def written(self) -> int:
        """Words more than when the day began; less than 0 if more went than came."""
        return self.words - self.base


def today() -> str:
    """The day of the author's clock."""
    return datetime.date.today().isoformat()


class WordHistory:
    """The history of one manuscript. Call from one thread. A disk that refuses loses counts, never more.

    Anybody may read it; only the holder of the manuscript's lock may `note`, `carry` and `tidy`.
    """

    def __init__(self, state_dir: Path) -> None:
        self._file = state_dir / FILE
        self._counts: dict[tuple[str, str], Count] = {}
        self._latest: dict[str, int] = {}
        self._lines = 0
        for count in _read(self._file):
            self._lines += 1
            self._counts[count.day, count.chapter] = count
            self._latest[count.chapter] = count.words

    def tidy(self) -> None:
        """Write the file anew if most of it is out of date. For the holder of the manuscript's lock."""
        if self._lines > len(self._counts) + _SPARE:
            self._write()
            self._lines = len(self._counts)

    def note(self, chapter: str, words: int, *, new: bool = False, day: str = "") -> None:
        """The chapter has this many words now. All of a `new` one's count as written today."""
        day = day or today()
        known = self._counts.get((day, chapter))
        if known is not None and known.words == words:
            return
        base = known.base if known else self._latest.get(chapter, 0 if new else words)
        count = Count(day, chapter, words, base)
        self._counts[day, chapter], self._latest[chapter] = count, words
        self._append(count)

    def carry(self, renames: Iterable[tuple[str, str]]) -> None:
        """Chapters have other paths now; what becomes one chapter is added up. Again, it changes nothing."""
        renames = [(old, new) for old, new in renames if old in self._latest]
        for old, new in renames:
            days = {day for day, chapter in self._counts if chapter in (old, new)}
            joined = {day: (self._at(day, old), self._at(day, new)) for day in days}
            for day, (one, other) in joined.items():
                self._counts.pop((day, old), None)
                self._counts[day, new] = Count(day, new, one.words + other.words, one.base + other.base)
            self._latest[new] = self._latest.pop(old) + self._latest.get(new, 0)
        if renames:
            self._write()

    def counts(self) -> tuple[Count, ...]:
        """All of them, by day, then by chapter."""
        return tuple(self._counts[key] for key in sorted(self._counts))

    def days(self) -> dict[str, int]:
        """Words written on each day, in its order."""
        found: dict[str, int] = {}
        for count in self.counts():
            found[count.day] = found.get(count.day, 0) + count.written
        return found

    def _at(self, day: str, chapter: str) -> Count:
        """What is known of that day, or else that nothing was written since the day before it."""
        earlier = [known for known, of in self._counts if of == chapter and known <= day]
        if not earlier:
            return Count(day, chapter, 0, 0)
        last = self._counts[max(earlier), chapter]
        return last if last.day == day else Count(day, chapter, last.words, last.words)

    def _append(self, count: Count) -> None:
        with contextlib.suppress(OSError):
            fd = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                atomic.write_all(fd, b"\n" * _torn(self._file) + _line(count))
            finally:
                os.close(fd)

    def _write(self) -> None:
        data = b"".join(map(_line, self.counts()))
        with contextlib.suppress(OSError, atomic.CannotReplace):
            if self._file.exists():
                atomic.replace(self._file, data, lambda found: None)
            elif data:
                atomic.write_new(self._file, data)


def _line(count: Count) -> bytes:
    return json.dumps(asdict(count), ensure_ascii=False).encode() + b"\n"


def _torn(file: Path) -> bool:
    """Whether a kill left a line without its end."""
    with file.open("rb") as opened:
        size = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, size - 1))
        return size > 0 and opened.read(1) != b"\n"


def _read(file: Path) -> Iterator[Count]:
    try:
        with file.open("rb") as opened:
            lines = opened.read(_MOST_BYTES).split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            values = json.loads(line)
            yield Count(
                datetime.date.fromisoformat(values["day"]).isoformat(),
                str(values["chapter"]),
                int(values["words"]),
                int(values["base"]),
            )
        except (ValueError, KeyError, TypeError):
            continue
