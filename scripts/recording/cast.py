"""A recorded session as an asciinema cast (version 2): what has changed on the screen, and when.

The program's own output is never copied. Each frame is drawn anew from the screen as it was, with moves of the cursor
and colours alone: so a cast asks the terminal that plays it for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyte.screens import Char, Screen

_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_MARKS = (("bold", 1), ("italics", 3), ("underscore", 4), ("reverse", 7), ("strikethrough", 9))
_BLANK = Char(" ")
_TITLE_END = "\x07"
_PLAIN = "\x1b[0m"

Row = tuple[Char, ...]


def rows(screen: Screen) -> list[Row]:
    """The cells of the screen. The second half of a wide character is an empty one."""
    return [tuple(screen.buffer[y][x] for x in range(screen.columns)) for y in range(screen.lines)]


@dataclass(slots=True)
class Cast:
    """Frames at a clock of its own, in seconds: a long wait is shown as a short one."""

    columns: int
    lines: int
    title: str
    longest: float = 0.3
    """Seconds between two frames, at most."""
    clock: float = 0.0
    _events: list[tuple[float, str]] = field(default_factory=list)
    _shown: list[Row] = field(default_factory=list)

    def frame(self, screen: Screen, seconds: float) -> None:
        """What the screen shows so many seconds after the frame before. Nothing if that is the same."""
        self.clock += min(max(seconds, 0.0), self.longest)
        now = rows(screen)
        before = self._shown or [(_BLANK,) * self.columns] * self.lines
        drawn = "".join(_changed(y, old, new) for y, (old, new) in enumerate(zip(before, now, strict=True)))
        if drawn:
            start = "" if self._shown else f"\x1b]0;{self.title}{_TITLE_END}\x1b[?25l\x1b[2J"
            self._events.append((round(self.clock, 2), start + drawn))
            self._shown = now

    def hold(self, seconds: float) -> None:
        """The screen stays as it is, to be read."""
        self.clock += seconds

    def text(self) -> str:
        """The file: a header, then an event per line."""
        header = {"version": 2, "width": self.columns, "height": self.lines, "title": self.title}
        ending = (round(self.clock, 2), "\x1b[0m\x1b[?25h")
        events = [json.dumps([at, "o", shown], ensure_ascii=False) for at, shown in (*self._events, ending)]
        return "\n".join([json.dumps(header), *events]) + "\n"


def _changed(y: int, old: Row, new: Row) -> str:
    """What draws the part of a row that differs."""
    differ = [x for x, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    if not differ:
        return ""
    first, last = differ[0], differ[-1]
    while first and not new[first].data:
        first -= 1  # never from the middle of a wide character
    return f"\x1b[{y + 1};{first + 1}H{_painted(new[first : last + 1])}"


def _painted(cells: Sequence[Char]) -> str:
    shown, style = [], _PLAIN
    for cell in cells:
        if (wanted := _style(cell)) != style:
            shown.append(wanted)
            style = wanted
        shown.append(cell.data)
    return "".join(shown) + (_PLAIN if style != _PLAIN else "")


def _style(cell: Char) -> str:
    codes = ["0", *(str(code) for name, code in _MARKS if getattr(cell, name))]
    codes += [*_colour(cell.fg, 30), *_colour(cell.bg, 40)]
    return f"\x1b[{';'.join(codes)}m"


def _colour(name: str, base: int) -> Iterator[str]:
    if name in _NAMES:
        yield str(base + _NAMES.index(name))
    elif name.removeprefix("bright") in _NAMES:
        yield str(base + 60 + _NAMES.index(name.removeprefix("bright")))
    elif name != "default":
        yield f"{base + 8};2;" + ";".join(str(int(name[at : at + 2], 16)) for at in (0, 2, 4))


def events(path: Path) -> tuple[dict[str, object], list[tuple[float, str]]]:
    """Header and events of a cast. Raises ValueError if it is none."""
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    header = json.loads(first)
    if header.get("version") != 2:
        raise ValueError(f"{path.name} is no cast of version 2.")
    return header, [(float(at), str(shown)) for at, kind, shown in map(json.loads, rest) if kind == "o"]
