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
        environ = environ | {
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
            "WRITER_MOTION": "full",
            "COLORTERM": "truecolor",
        }
        self.folder = folder
        self._screen = pyte.Screen(100, 30)
        self._stream = pyte.ByteStream(self._screen)
        self.seen = b""
        """All that was written to the terminal."""
        self._fed = 0
        self.launched = time.monotonic()
        arguments = [*WRITER[1:], str(folder)]
        self.child = pexpect.spawn(WRITER[0], arguments, env=environ, dimensions=(30, 100), timeout=30)

    def read(self) -> None:
        """Take what the app has written by now, without looking at it."""
        until = time.monotonic() + 0.1  # a stream never stops painting
        with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF):
            while time.monotonic() < until:
                self.seen += self.child.read_nonblocking(65536, timeout=0.02)

    def screen(self) -> list[str]:
        """What the terminal shows now, line by line."""
        self.read()
        return self._painted(len(self.seen))

    def last_screen(self) -> list[str]:
        """What stood on the terminal when the app ended, before the launcher cleaned up."""
        with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF):
            while True:
                self.seen += self.child.read_nonblocking(65536, timeout=0.02)
        end = self.seen.rfind(CLEANED_UP)
        return self._painted(end if end >= self._fed else len(self.seen))

    def _painted(self, end: int) -> list[str]:
        self._stream.feed(self.seen[self._fed : end])
        self._fed = end
        # Not `display`: it fails on a wide character that was half overwritten.
        columns = range(self._screen.columns)
        return ["".join(self._screen.buffer[y][x].data for x in columns) for y in range(self._screen.lines)]

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
        wait_until(lambda: (self.read(), proc.start_ticks(pid) != ticks)[1], 20)

    def quit(self) -> None:
        self.press("\x11")
        wait_until(lambda: (self.read(), not self.child.isalive())[1], 60, what="the app to quit")

    def close(self) -> None:
        # On a busy machine it dies of the signal later than pexpect looks.
        with contextlib.suppress(OSError, pexpect.ExceptionPexpect):
            self.child.close(force=True)
