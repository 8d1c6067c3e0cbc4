"""A pseudo-terminal with the app in it, for tests."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

import pexpect
from conditions import wait_until

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "tests" / "tui" / "pty_app.py"


class Terminal:
    """A pseudo-terminal with a program in it."""

    def __init__(self, argv: list[str], environ: dict[str, str]) -> None:
        environ = environ | {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none", "COLORTERM": "truecolor"}
        self.child = pexpect.spawn(argv[0], argv[1:], env=environ, dimensions=(24, 100), timeout=30, echo=True)
        self.seen = b""

    def read(self) -> bytes:
        """All output so far."""
        until = time.monotonic() + 0.2  # a stream never stops painting
        with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF):
            while time.monotonic() < until:
                self.seen += self.child.read_nonblocking(65536, timeout=0.05)
        return self.seen

    def shows(self, text: str, seconds: float = 20.0) -> None:
        """Wait until the output holds this text (of one style)."""
        wait_until(lambda: text.encode() in self.read(), seconds, what=text)


def app(terminals: list[Terminal], home: dict[str, str], *arguments: object) -> Terminal:
    terminals.append(Terminal([sys.executable, str(APP), *map(str, arguments)], home))
    return terminals[-1]
