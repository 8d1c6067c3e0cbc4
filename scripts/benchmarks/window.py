"""The whole app as an author starts it, in a pseudo-terminal whose writings are kept with their time."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.seen import Glass

SIZE = (100, 30)
EDITOR_LEFT = 28
"""The column behind the chapter list."""
WRITE, QUIT, ENTER = b"\x07", b"\x11", b"\r"
CALM = {"seconds": 4.0}
"""Without a change on the screen for so long, nothing is being written any more."""
_WRITES = (b"tok/s", b"prefix cache")
_PAUSED = (b"Ctrl+G goes on",)
"""What the status line tells of a text that is being written, and of one that has ended or was paused."""
_TAIL = max(map(len, _WRITES + _PAUSED))
_READING = 600.0
"""Seconds that a prompt or a text may take."""


class Window:
    """A program on a terminal of its own; `writer DIR` if nothing else is said."""

    def __init__(self, folder: Path, command: Sequence[str] = ()) -> None:
        self.written: list[tuple[float, bytes]] = []
        self.begun = time.perf_counter()
        self.writes = False
        """Whether the status line has told that a text is being written."""
        self.paused = False
        """Whether it has told that one can go on."""
        self._glass, self._fed = Glass(*SIZE), 0
        command = command or [sys.executable, "-m", "writer", str(folder)]
        environ = os.environ | {
            "TERM": "xterm-256color",
            "TEXTUAL_ANIMATIONS": "none",
            "WRITER_MOTION": "full",
            "COLORTERM": "truecolor",
        }
        environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode: none is made anew each time
        environ["WRITER_NO_WELCOME"] = "1"
        self._end, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))

        def own_terminal() -> None:
            os.setsid()
            fcntl.ioctl(there, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen(
            command, stdin=there, stdout=there, stderr=there, env=environ, preexec_fn=own_terminal
        )
        os.close(there)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the terminal is gone with its last program
            before = b""
            while data := os.read(self._end, 65536):
                self.written.append((time.perf_counter(), data))
                told = before + data  # a sign may come in two pieces
                self.writes |= any(sign in told for sign in _WRITES)
                self.paused |= any(sign in told for sign in _PAUSED)
                before = data[-_TAIL:]

    def press(self, keys: bytes) -> float:
        """Type this; the second in which it was. What was told of a text before does not count any more."""
        self.writes = self.paused = False
        os.write(self._end, keys)
        return time.perf_counter()

    def rows(self) -> list[str]:
        """What the terminal shows now."""
        upto = len(self.written)
        self._glass.feed(b"".join(data for _, data in self.written[self._fed : upto]))
        self._fed = upto
        return self._glass.rows()

    def until(self, condition: Callable[[], object], what: str, seconds: float = 120.0) -> None:
        """Wait for it. Raises SystemExit with what the screen shows."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or self.child.poll() is not None:
                raise SystemExit(f"{what} did not come; the screen shows:\n" + "\n".join(self.rows()))
            time.sleep(0.02)

    def shows(self, text: str, seconds: float = 120.0) -> None:
        """Wait until a row holds this text."""
        self.until(lambda: any(text in row for row in self.rows()), f'"{text}"', seconds)

    def rests(self, *, anew: bool = True) -> None:
        """Wait until something has been written, and then nothing for a while. Looks at no frame meanwhile.

        `anew`: nothing was paused before, so that one that can go on was written, be it before anyone looked.
        """
        self.until(lambda: self.writes or (anew and self.paused), "a text", _READING)
        self.until(lambda: time.perf_counter() - self.written[-1][0] > CALM["seconds"], "the text's end", _READING)

    def processes(self) -> list[int]:
        """The launcher, and the app below it."""
        below = Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children").read_text().split()
        return [self.child.pid, *map(int, below)]

    def kill(self) -> None:
        """kill -9 of the app, and of its launcher."""
        for pid in reversed(self.processes()):
            os.kill(pid, signal.SIGKILL)
        self._ended()

    def quit(self) -> None:
        """Leave by the key."""
        self.press(QUIT)
        self._ended()

    def _ended(self) -> None:
        try:
            self.child.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
        self._reader.join(5)
        with contextlib.suppress(OSError):
            os.close(self._end)


def generations(folder: Path) -> list[dict[str, Any]]:
    """All that was generated in this manuscript, as `writer state export` tells it."""
    command = [sys.executable, "-m", "writer", "state", "export", str(folder), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)["generations"]
    return found
