"""The terminal: can it draw the app, show every script, and outlive a lost connection?"""

from __future__ import annotations

import locale
import os
import shutil
from collections.abc import Mapping

from writer.doctor.finding import Finding
from writer.language import say

NARROW, LOW = 60, 18
"""Cells of a window in which every screen of the app can be used."""


def findings(environ: Mapping[str, str]) -> list[Finding]:
    """Asks every question of this module."""
    has_tmux = shutil.which("tmux") is not None
    found = [drawing(environ), letters(environ, locale.getencoding()), connection(environ, has_tmux)]
    return found if (cells := _cells()) is None else [*found, size(*cells)]


def drawing(environ: Mapping[str, str]) -> Finding:
    """Whether the app can be drawn, and in how many colours."""
    term = environ.get("TERM", "")
    if term in ("", "dumb", "unknown"):
        sentence = say("The terminal calls itself {term!r}, so the app cannot be drawn here.", term=term)
        return Finding(
            say("Terminal"), "warn", sentence, say("Open writer in a terminal window; writer draft works without one.")
        )
    if environ.get("COLORTERM") in ("truecolor", "24bit"):
        return Finding(say("Terminal"), "ok", say("{term} in full colour.", term=term))
    if "256" in term or any(name in term for name in ("kitty", "alacritty", "ghostty", "foot", "wezterm")):
        return Finding(say("Terminal"), "ok", say("{term} in 256 colours or more.", term=term))
    step = say("If yours can do more, set COLORTERM=truecolor.")
    return Finding(say("Terminal"), "warn", say("{term} tells of 16 colours only.", term=term), step)


def letters(environ: Mapping[str, str], encoding: str) -> Finding:
    """Whether accents, typographic quotes and Chinese come through. `encoding`: the locale's own."""
    if encoding.lower().replace("-", "") == "utf8":
        return Finding(say("Letters"), "ok", say("The locale is UTF-8: every script can be shown."))
    named = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or say("not set")
    sentence = say("The locale ({named}) is not UTF-8: accents and Chinese may come out wrong.", named=named)
    return Finding(say("Letters"), "warn", sentence, say("Set LANG=C.UTF-8."))


def size(columns: int, rows: int) -> Finding:
    """Whether the app has room to be used in."""
    sentence = say("The window has {columns} columns and {rows} rows.", columns=columns, rows=rows)
    if columns >= NARROW and rows >= LOW:
        return Finding(say("Window"), "ok", sentence)
    step = say("Make it at least {columns} by {rows}, or the letters smaller.", columns=NARROW, rows=LOW)
    return Finding(say("Window"), "warn", sentence, step)


def _cells() -> tuple[int, int] | None:
    """Columns and rows, by whichever of input and outputs is a terminal; None if none is."""
    for descriptor in (1, 2, 0):
        try:
            return tuple(os.get_terminal_size(descriptor))  # type: ignore[return-value]
        except OSError:
            continue
    return None


def connection(environ: Mapping[str, str], has_tmux: bool) -> Finding:
    """Whether the app goes on when the connection to this machine is lost."""
    if environ.get("TMUX") or environ.get("STY"):
        return Finding(say("Connection"), "ok", say("Inside tmux or screen: the app outlives a lost connection."))
    if not environ.get("SSH_CONNECTION"):
        return Finding(say("Connection"), "ok", say("This terminal is on this machine."))
    step = say("Open writer inside tmux.") if has_tmux else say("Install tmux and open writer inside it.")
    sentence = say("You work over SSH: a lost connection stops the writing, and what was written stays.")
    return Finding(say("Connection"), "warn", sentence, step)
