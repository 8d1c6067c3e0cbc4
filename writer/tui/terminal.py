"""What Textual's Linux driver needs to survive: stray output, a vanished terminal, and a byte that is not UTF-8."""

from __future__ import annotations

import codecs
import functools
import io
import os
import sys
from pathlib import Path

import textual.drivers.linux_driver as linux_driver
from textual.drivers.linux_driver import LinuxDriver


class _Terminal(io.TextIOWrapper):
    """Writes to a terminal that may be closed at any moment. Losing a frame then is no error: saving goes on."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            pass


def claim(log_file: Path) -> None:
    """Give the terminal to Textual alone, and everything else that is written to stderr to the log file."""
    sys.stderr.flush()
    screen = os.dup(2)
    log = os.open(log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(log, 2)
    os.close(log)
    raw = io.BufferedWriter(io.FileIO(screen, "w"))
    # Textual paints through this name.
    sys.__stderr__ = _Terminal(raw, encoding="utf-8", errors="replace", write_through=False)  # type: ignore[misc]


class ForgivingDriver(LinuxDriver):
    """Textual's driver, which would end the app at one invalid byte of input (its issue 6456).

    It also suspends between two frames, and not in the middle of one.
    """

    def run_input_thread(self) -> None:
        forgiving = functools.partial(codecs.getincrementaldecoder("utf-8"), errors="replace")
        linux_driver.getincrementaldecoder = lambda name: forgiving  # type: ignore[attr-defined]
        super().run_input_thread()

    cursor_shown = False
    """Whether the terminal's own cursor is to be seen."""

    def show_cursor(self, shown: bool) -> None:
        """Show the terminal's own cursor, or hide it, also when the app comes back from the background."""
        changed, self.cursor_shown = shown != self.cursor_shown, shown
        if changed:
            self.write("\x1b[?25h" if shown else "\x1b[?25l")

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self.cursor_shown:
            self.write("\x1b[?25h")

    def _sigtstp_application(self, *_: object) -> None:
        """Between two frames. In the middle of a write, Textual's own handler would wait for itself for ever."""
        self._loop.call_soon_threadsafe(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(super()._sigcont_application)
