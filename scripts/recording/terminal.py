"""A shell in a pseudo-terminal, typed into as a user does, and recorded."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pexpect
import pyte

from recording.cast import Cast

COLUMNS, ROWS = 100, 30
FRAME = 0.25
"""Seconds between two looks at the screen."""
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "ctrl+home": "\x1b[1;5H",
    "ctrl+end": "\x1b[1;5F",
    "ctrl+left": "\x1b[1;5D",
    "ctrl+down": "\x1b[1;5B",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f12": "\x1b[24~",
    "space": " ",
}


class NotShown(Exception):
    """The screen did not come to show what the session waits for."""


class Terminal:
    """Everything that is seen goes into the cast."""

    def __init__(self, argv: list[str], folder: Path, environ: Mapping[str, str], cast: Cast) -> None:
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.cast = cast
        self._stream = pyte.ByteStream(self.screen)
        self._last = time.monotonic()
        self._child = pexpect.spawn(argv[0], argv[1:], cwd=str(folder), env=dict(environ), dimensions=(ROWS, COLUMNS))

    def text(self) -> str:
        """What the screen shows."""
        lines = range(ROWS)
        return "\n".join("".join(self.screen.buffer[y][x].data for x in range(COLUMNS)) for y in lines)

    def look(self, seconds: float = FRAME) -> None:
        """Read for so long, then take a frame."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._stream.feed(self._child.read_nonblocking(65536, timeout=left))
            except pexpect.TIMEOUT:
                break
            except pexpect.EOF:
                break
        now = time.monotonic()
        self.cast.frame(self.screen, now - self._last)
        self._last = now

    def until(self, *texts: str, gone: str = "", seconds: float = 120.0) -> None:
        """Wait until the screen shows one of them, and not `gone`. Raises NotShown."""
        end = time.monotonic() + seconds
        while True:
            self.look()
            shown = self.text()
            if any(text in shown for text in texts) and not (gone and gone in shown):
                return
            if time.monotonic() > end:
                raise NotShown(f"The screen does not show {texts}:\n{shown}")

    def hold(self, seconds: float) -> None:
        """Nothing is done for so long, that it can be read."""
        self.look(0.6)
        self.cast.hold(seconds)

    def type(self, text: str) -> None:
        """Letter by letter."""
        for letter in text:
            self._child.send(letter)
            self.look(0.05)

    def command(self, words: str) -> None:
        """Give the shell this line."""
        self.type(words)
        self.press("enter")

    def press(self, *keys: str) -> None:
        """Keys by name, or single letters."""
        for key in keys:
            if key.startswith("alt+"):
                key = f"\x1b{key[4:]}"
            control = chr(ord(key[5:]) & 31) if key.startswith("ctrl+") and len(key) == 6 else ""
            self._child.send(control or KEYS.get(key) or key)
            self.look(0.35)

    def close(self) -> None:
        """End the shell and what runs in it."""
        self._child.close(force=True)
