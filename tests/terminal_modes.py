"""Whether a terminal can be used after a program has left it, from what the program wrote and from its settings."""

from __future__ import annotations

import re
import termios

_OFF = ("1000", "1002", "1003", "1006", "1015", "1049", "2004", "1004")
"""Mouse, alternate screen, bracketed paste, focus."""


def modes(output: bytes) -> dict[str, bool]:
    """The terminal's private modes after this output."""
    state: dict[str, bool] = {}
    for numbers, switch in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", output):
        for number in numbers.split(b";"):
            state[number.decode()] = switch == b"h"
    return state


def echoes(fd: int) -> bool:
    """Whether the terminal shows what is typed, and takes lines and signals."""
    flags = termios.tcgetattr(fd)[3]
    return bool(flags & termios.ECHO) and bool(flags & termios.ICANON) and bool(flags & termios.ISIG)


def unusable(output: bytes, fd: int) -> list[str]:
    """What is not as a shell needs it, in words; nothing if all is well."""
    state = modes(output)
    wrong = [f"mode {mode} is on" for mode in _OFF if state.get(mode, False)]
    wrong += [f"{what} is off" for mode, what in (("25", "the cursor"), ("7", "wrapping")) if not state.get(mode, True)]
    if output.count(b"\x1b[<u") < output.count(b"\x1b[>25u"):
        wrong.append("the kitty keyboard is on")
    return wrong + ([] if echoes(fd) else ["it does not echo"])
