"""The whole program as an author starts it, in a pseudo-terminal whose screen can be read."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import pexpect
import pyte
from conditions import wait_until

from writer.engine import proc

WRITER = [sys.executable, "-m", "writer"]
CLEANED_UP = b"\x1b[?2026l\x1b[?1000l\x1b[?1002l"
"""What only the launcher writes."""


class App:
    """`writer DIR` on a terminal of 100 × 30."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        environ = environ | {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none", "COLORTERM": "truecolor"}
        self.folder = folder
        self._screen = pyte.Screen(100, 30)
        self._stream = pyte.ByteStream(self._screen)
        self.seen = b""
        """All that was written to the terminal."""
        self.launched = time.monotonic()
        arguments = [*WRITER[1:], str(folder)]
        self.child = pexpect.spawn(WRITER[0], arguments, env=environ, dimensions=(30, 100), timeout=30)

    def screen(self) -> list[str]:
        """What the terminal shows now, line by line."""
        with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF):
            while True:
                data = self.child.read_nonblocking(65536, timeout=0.02)
                self.seen += data
                self._stream.feed(data)
        return _lines(self._screen)

    def last_screen(self) -> list[str]:
        """What stood on the terminal when the app ended, before the launcher cleaned up."""
        self.screen()
        screen = pyte.Screen(100, 30)
        pyte.ByteStream(screen).feed(self.seen.rpartition(CLEANED_UP)[0] or self.seen)
        return _lines(screen)

    def shows(self, text: str, seconds: float = 60.0) -> None:
        """Wait until some line of the screen holds this text."""
        with contextlib.suppress(AssertionError):
            wait_until(lambda: any(text in line for line in self.screen()), seconds)
            return
        raise AssertionError(f"the screen does not show {text!r}:\n" + "\n".join(self.screen()))

    def press(self, keys: str) -> None:
        self.child.send(keys)

    def pid(self) -> int:
        """Of the app's own process, below the launcher."""
        children = Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children")
        return int(wait_until(lambda: children.read_text().split(), 30)[0])

    def kill(self) -> None:
        """kill -9 of the app; the launcher is left to clean up."""
        pid = self.pid()
        ticks = proc.start_ticks(pid)
        os.kill(pid, signal.SIGKILL)
        self.screen()
        wait_until(lambda: proc.start_ticks(pid) != ticks, 20)

    def quit(self) -> None:
        self.press("\x11")
        wait_until(lambda: (self.screen(), not self.child.isalive())[1], 60, what="the app to quit")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.child.close(force=True)


def _lines(screen: pyte.Screen) -> list[str]:
    # Not `display`: it fails on a wide character that was half overwritten.
    return ["".join(screen.buffer[y][x].data for x in range(screen.columns)) for y in range(screen.lines)]
