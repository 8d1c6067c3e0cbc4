"""The terminal's own cursor, seen from outside: input methods open their window there, screen readers read there."""

from __future__ import annotations

import re
from pathlib import Path

import pyte
from conditions import wait_until
from pseudo_terminal import Terminal, app

MARK = "§"
TEXT = (
    """# 港口

\tA tab, then 海上的灯塔在雨夜里亮着，没有人知道是谁点的灯，也没有人去问，于是船一艘一艘地回来了，又一艘一艘地走了，

Words that go on for so long that the row is full and breaks, and breaks again, because nobody has ended the sentence.

"""
    + "A short paragraph.\n\n" * 40
)
END, HOME, UP, DOWN, RIGHT = "\x1b[1;5F", "\x1b[1;5H", "\x1b[A", "\x1b[B", "\x1b[C"
WHEEL_UP = "\x1b[<64;50;10M"


class Glass:
    """What stands on the terminal, and where its cursor is."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self._screen = pyte.Screen(100, 24)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0

    def look(self) -> None:
        seen = self.terminal.read()
        self._stream.feed(seen[self._fed :])
        self._fed = len(seen)

    def rows(self) -> list[str]:
        self.look()
        return ["".join(self._screen.buffer[y][x].data for x in range(100)) for y in range(24)]

    def marks(self) -> list[tuple[int, int]]:
        cells = ((x, y) for y in range(24) for x in range(100))
        return [(x, y) for x, y in cells if self._screen.buffer[y][x].data == MARK]

    @property
    def cursor(self) -> tuple[int, int]:
        return self._screen.cursor.x, self._screen.cursor.y

    @property
    def hidden(self) -> bool:
        return self._screen.cursor.hidden

    def behind_mark(self) -> bool:
        """Whether the cursor is on the cell behind the one mark that is seen."""
        self.look()
        marks = self.marks()
        return len(marks) == 1 and self.cursor == (marks[0][0] + 1, marks[0][1])

    def type(self, keys: str) -> None:
        self.terminal.child.send(keys)

    def wait_behind_mark(self, what: str) -> None:
        wait_until(self.behind_mark, 20, what=what)


def opened(manuscript: Path, terminals: list[Terminal], home: dict[str, str], mode: str = "plain") -> Glass:
    next(manuscript.glob("chapters/*.md")).write_text(TEXT, encoding="utf-8")
    glass = Glass(app(terminals, home, manuscript, mode))
    wait_until(lambda: any("short paragraph" in row for row in glass.rows()), 30, what="the chapter")
    return glass


def test_it_is_at_the_caret_of_the_text(manuscript: Path, terminals: list[Terminal], home: dict[str, str]) -> None:
    """With wide characters, tabs and rows that break, after scrolling, and while text streams in."""
    glass = opened(manuscript, terminals, home, "stream")
    assert glass.hidden
    for moves, what in (
        (HOME + DOWN * 2 + RIGHT * 20, "among wide characters behind a tab"),
        (DOWN, "on the row that it breaks into"),
        (DOWN * 2 + RIGHT * 70, "on a row that is broken"),
        (END, "at the end"),
    ):
        glass.type(moves + MARK)
        glass.wait_behind_mark(what)
        glass.type("\x7f")
        wait_until(lambda: (glass.look(), not glass.marks())[1], 20, what="the mark to go")
    glass.type("\x07")  # writes on at the end
    wait_until(lambda: b"word20" in glass.terminal.read(), 20, what="the stream")
    glass.type(UP * 3 + MARK)
    glass.wait_behind_mark("while text streams below")
    for _ in range(3):
        painted = len(glass.terminal.seen)
        wait_until(lambda painted=painted: len(glass.terminal.read()) > painted + 200, 20, what="more")  # type: ignore[misc]
        glass.wait_behind_mark("after more was painted, the words that are counted at least")


def test_it_goes_with_the_text_that_is_scrolled(
    manuscript: Path, terminals: list[Terminal], home: dict[str, str]
) -> None:
    glass = opened(manuscript, terminals, home)
    glass.type(END + MARK)
    glass.wait_behind_mark("at the end")
    before = glass.cursor
    glass.type(WHEEL_UP)
    wait_until(lambda: (glass.behind_mark() and glass.cursor[1] > before[1]) or not glass.marks(), 20, what="the wheel")
    glass.type("\x1b[<65;50;10M" * 3)
    glass.wait_behind_mark("scrolled back")


def test_it_is_in_the_field_that_is_typed_in_and_shown_to_a_screen_reader(
    manuscript: Path, terminals: list[Terminal], home: dict[str, str]
) -> None:
    glass = opened(manuscript, terminals, home | {"WRITER_SCREEN_READER": "1", "NO_COLOR": "1"})
    assert not glass.hidden
    assert not any(set(row) & set("─│┌┐└┘╭╮╰╯▁▔▊▎█") for row in glass.rows())
    glass.type("\x06")
    wait_until(lambda: any("[ ] Case" in row for row in glass.rows()), 20, what="the line of the search")
    wait_until(lambda: glass.cursor[1] > 15, 20, what="the cursor in it")
    glass.type("灯" + MARK)
    glass.wait_behind_mark("in the line of the search")
    glass.type("\x1b")
    wait_until(lambda: (glass.look(), not glass.marks())[1], 20, what="the search to close")
    glass.type("\x10")  # the palette
    wait_until(lambda: any("Undo" in row or "Write on" in row for row in glass.rows()), 20, what="the palette")
    assert not any(set(row) & set("─│┌┐└┘╭╮╰╯▁▔▊▎█") for row in glass.rows())
    colours = re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", glass.terminal.read())
    assert colours
    assert all(len(set(each)) == 1 for each in colours), "without colours there are shades of grey only"
