"""A pseudo-terminal for an app in this process. A process of its own reads it empty, so that reading costs us nothing.

Unlike a headless run, the app encodes its frames and writes them.
"""

from __future__ import annotations

import os
import pty
import subprocess
import threading
from typing import Any

from textual.app import App
from textual.driver import Driver

from writer.tui.terminal import ForgivingDriver

COLUMNS, ROWS = 120, 40


class Terminal:
    """A terminal of 120x40 cells, at first."""

    def __init__(self) -> None:
        self.size = (COLUMNS, ROWS)
        self.written: list[str] = []
        """What was written to it, since it was last emptied."""
        self.listening = False
        """Whether `written` grows."""
        self._end, self.end = pty.openpty()
        self._reader = subprocess.Popen(["cat"], stdin=self._end, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def taken(self) -> int:
        """Bytes written since the last time."""
        count = sum(len(text.encode(errors="replace")) for text in self.written)
        self.written.clear()
        return count

    def send(self, data: bytes) -> threading.Thread:
        """Type or paste this. Runs in a thread, since a terminal takes no more than is read."""
        thread = threading.Thread(target=self._send, args=(data,), daemon=True)
        thread.start()
        return thread

    def _send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._end, data) :]

    def close(self) -> None:
        """Take the terminal away; the app must have been left."""
        os.close(self.end)
        self._reader.wait(10)
        os.close(self._end)

    def driver(self) -> type[Driver]:
        """The app's own driver, on this terminal."""
        terminal = self

        class OnTerminal(ForgivingDriver):
            def __init__(self, app: App[Any], **options: Any) -> None:
                super().__init__(app, **options)
                self._screen = open(os.dup(terminal.end), "w", encoding="utf-8", errors="replace", newline="")  # noqa: SIM115
                self._file = self._screen
                self.fileno = terminal.end
                self.input_tty = True

            def _get_terminal_size(self) -> tuple[int, int]:
                return terminal.size

            def write(self, data: str) -> None:
                if terminal.listening:
                    terminal.written.append(data)
                super().write(data)

            def close(self) -> None:
                super().close()
                self._screen.close()

        return OnTerminal
