"""What stood on a terminal and when, from what was written to it. Pure.

A frame is looked at long after it was painted, so that looking takes nothing from the app that is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyte

Written = Sequence[tuple[float, bytes]]
"""What was written, and the second in which it came."""
_NO_LETTER = re.compile(r"[\s▁▂▃▄▅▆▇█▎▊─│▲▼]")
_SURE = 8
"""Letters of a row that tell where in a text it stands."""


def written_at(written: Written, text: bytes) -> float:
    """The second in which the last byte of this came. Raises ValueError if it did not."""
    whole = b""
    for second, data in written:
        whole += data
        if text in whole:
            return second
    raise ValueError(f"{text!r} was not written")


def letters(text: str) -> str:
    """Without white space and borders: how a text looks on any screen."""
    return _NO_LETTER.sub("", text)


class Glass:
    """A screen to which frames are fed."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    def feed(self, data: bytes) -> None:
        """Paint this."""
        self._stream.feed(data)

    def rows(self, left: int = 0) -> list[str]:
        """The rows from this column on. Not `display`: it fails on a wide character that was half overwritten."""
        columns = range(left, self._screen.columns)
        return ["".join(self._screen.buffer[y][x].data for x in columns) for y in range(self._screen.lines)]


def position(rows: Sequence[str], text: str, before: int = 0) -> int:
    """Letters of `text` (letters only) up to the end of the last row that shows some of it; 0 if none does.

    A model repeats itself. Rows above tell which of the places it is; where they do not, it is the first one that ends
    at `before` or behind it.
    """
    for last in reversed(range(len(rows))):
        shown = letters(rows[last])
        if len(shown) < _SURE or shown not in text:
            continue
        for row in reversed(rows[:last]):
            if (longer := letters(row) + shown) not in text:
                break
            shown = longer
        found = text.find(shown, max(0, before - len(shown)))
        return (found if found >= 0 else text.rfind(shown)) + len(shown)
    return 0


def progress(written: Written, text: str, size: tuple[int, int], left: int) -> Iterator[tuple[float, int]]:
    """(second, letters of `text` on the screen), whenever there are more than before. `left`: the editor's column."""
    glass, whole, most = Glass(*size), letters(text), 0
    for second, data in written:
        glass.feed(data)
        if (now := position(glass.rows(left)[:-2], whole, most)) > most:
            most = now
            yield second, now


def first_beyond(moments: Sequence[tuple[float, int]], letters_before: int, since: float) -> float:
    """The second in which the first letter behind those was seen. Raises ValueError if none was."""
    for second, count in moments:
        if second >= since and count > letters_before:
            return second
    raise ValueError("nothing new was seen")
